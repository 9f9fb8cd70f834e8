package dev.varve.engine.check;

import dev.varve.engine.check.CheckFinding.Severity;
import dev.varve.store.FileCheck;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.StoreDamage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A running check: its rate limit, progress and findings. Used by one thread. */
public final class CheckRun {
  private static final long LOOK_MILLIS = 50;
  private static final long NEWS_NANOS = 1_000_000_000L;

  private final long bytesPerSecond;
  private final Consumer<CheckProgress> progress;
  private final Consumer<CheckFinding> found;
  private final BooleanSupplier stopped;
  private final long start = System.nanoTime();
  private long lastNews = start;
  private String doing = "";
  private long bytes;
  private long rows;
  private long cells;
  private long damages;

  /**
   * @param bytesPerSecond limit on bytes read per second; 0 for none
   * @param progress receives progress about once per second
   * @param found receives each finding
   * @param stopped polled frequently; true stops the check
   */
  public CheckRun(
      long bytesPerSecond,
      Consumer<CheckProgress> progress,
      Consumer<CheckFinding> found,
      BooleanSupplier stopped) {
    this.bytesPerSecond = bytesPerSecond;
    this.progress = progress;
    this.found = found;
    this.stopped = stopped;
  }

  /** Returns the current progress. */
  public CheckProgress progress() {
    return new CheckProgress(doing, bytes, rows, cells, damages);
  }

  /** Returns a listener for the check of a store's files. */
  public FileCheck reading(String store) {
    return new FileCheck() {
      @Override
      public void reading(String file, long size) {
        doing("store %s, file %s".formatted(store, file));
        spend(size);
      }

      @Override
      public void damaged(StoreDamage damage) {
        // A repair reports its findings when it ends.
      }
    };
  }

  /** Returns the number of findings of damage. */
  public long damages() {
    return damages;
  }

  void doing(String what) {
    doing = what;
    ensureWanted();
  }

  /** Reports a finding. */
  public void found(CheckFinding finding) {
    if (finding.severity() == Severity.DAMAGE) {
      damages++;
    }
    found.accept(finding);
  }

  void read(long moreRows, long moreCells, long moreBytes) {
    rows += moreRows;
    cells += moreCells;
    spend(moreBytes);
  }

  /**
   * Counts bytes and waits as the rate limit requires.
   *
   * @throws ReadCancelledException if the check was stopped
   */
  void spend(long moreBytes) {
    bytes += moreBytes;
    ensureWanted();
    long now = System.nanoTime();
    if (now - lastNews > NEWS_NANOS) {
      lastNews = now;
      progress.accept(progress());
    }
    if (bytesPerSecond > 0) {
      waitUntil(start + (long) (bytes * 1e9 / bytesPerSecond));
    }
  }

  private void waitUntil(long due) {
    while (due - System.nanoTime() > 0) {
      ensureWanted();
      long left = TimeUnit.NANOSECONDS.toMillis(due - System.nanoTime());
      try {
        Thread.sleep(Math.clamp(left, 1, LOOK_MILLIS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ReadCancelledException();
      }
    }
  }

  private void ensureWanted() {
    if (stopped.getAsBoolean()) {
      throw new ReadCancelledException();
    }
  }
}
