package dev.varve.store.rocksdb;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.BackgroundErrorReason;
import org.rocksdb.Status;

/**
 * What RocksDB tells of its flushes and compactions that failed. Called by its own threads, which
 * hold no lock meanwhile and must get no exception.
 */
final class BackgroundErrors extends AbstractEventListener {
  /**
   * A failure.
   *
   * @param lasting whether RocksDB takes no write any more until it is opened again
   * @param text in RocksDB's words
   */
  record Failure(boolean lasting, boolean corruption, String text) {}

  private final Consumer<Failure> told;
  private volatile @Nullable Failure last;

  /**
   * Listens.
   *
   * @param told of every failure, by a thread of RocksDB; must neither throw nor take long
   */
  BackgroundErrors(Consumer<Failure> told) {
    super(
        EnabledEventCallback.ON_BACKGROUND_ERROR, EnabledEventCallback.ON_ERROR_RECOVERY_COMPLETED);
    this.told = told;
  }

  /** The failure that has not been recovered from; null where there is none. */
  @Nullable Failure last() {
    return last;
  }

  @Override
  public void onBackgroundError(BackgroundErrorReason reason, Status status) {
    boolean corruption = status.getCode() == Status.Code.Corruption;
    String state = status.getState();
    Failure failure =
        new Failure(
            corruption,
            corruption,
            "%s: %s".formatted(work(reason), state == null ? status.getCodeString() : state));
    Failure before = last;
    if (before == null || !before.lasting()) {
      last = failure;
    }
    told.accept(failure);
  }

  private static String work(BackgroundErrorReason reason) {
    return switch (reason) {
      case FLUSH -> "a flush failed";
      case COMPACTION -> "a compaction failed";
      case WRITE_CALLBACK, MEMTABLE -> "a write failed";
    };
  }

  @Override
  public void onErrorRecoveryCompleted(Status before) {
    Failure failure = last;
    if (failure != null && !failure.lasting()) {
      last = null;
    }
  }
}
