package dev.varve.store.rocksdb;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.BackgroundErrorReason;
import org.rocksdb.Status;

/**
 * Receives the errors of RocksDB's flushes and compactions. RocksDB calls it on its own threads,
 * without holding a lock; exceptions must not escape to it.
 */
final class BackgroundErrors extends AbstractEventListener {
  /**
   * A failed flush, compaction or write.
   *
   * @param lasting whether RocksDB rejects writes until it is reopened
   * @param corruption whether RocksDB has found damaged bytes
   * @param text RocksDB's description
   */
  record Failure(boolean lasting, boolean corruption, String text) {}

  private final Consumer<Failure> onFailure;
  private volatile @Nullable Failure last;

  /**
   * Creates a listener.
   *
   * @param onFailure called with every failure, on a thread of RocksDB; must neither throw nor
   *     block
   */
  BackgroundErrors(Consumer<Failure> onFailure) {
    super(
        EnabledEventCallback.ON_BACKGROUND_ERROR, EnabledEventCallback.ON_ERROR_RECOVERY_COMPLETED);
    this.onFailure = onFailure;
  }

  /** Returns the last failure that RocksDB has not recovered from; null if there is none. */
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
    onFailure.accept(failure);
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
