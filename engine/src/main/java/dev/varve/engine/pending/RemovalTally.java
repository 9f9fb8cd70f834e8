package dev.varve.engine.pending;

import dev.varve.engine.progress.DeletionProgress;
import dev.varve.engine.progress.DeletionProgress.State;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Counts the work of a removal. One thread counts; others read the counts. */
public final class RemovalTally {
  private final AtomicLong rows = new AtomicLong();
  private final AtomicLong samples = new AtomicLong();
  private final AtomicLong cells = new AtomicLong();
  private final AtomicLong rewritten = new AtomicLong();
  private final AtomicLong damaged = new AtomicLong();
  private final AtomicLong series = new AtomicLong();

  /** Counts a row that was read. */
  public void row() {
    rows.incrementAndGet();
  }

  /** Counts a cell that was removed with all its samples. */
  public void removed(int ofSamples) {
    removed(1, ofSamples);
  }

  /** Counts cells that were removed with all their samples. */
  public void removed(int ofCells, long ofSamples) {
    cells.addAndGet(ofCells);
    samples.addAndGet(ofSamples);
  }

  /** Counts a cell that lost some of its samples. */
  public void rewritten(int ofSamples) {
    rewritten.incrementAndGet();
    samples.addAndGet(ofSamples);
  }

  /** Counts a cell that cannot be decoded. */
  public void damaged() {
    damaged.incrementAndGet();
  }

  /** Counts series that were removed with their labels. */
  public void series(int removed) {
    series.addAndGet(removed);
  }

  /** Forgets the damaged cells, which the next pass finds again. */
  public void begin() {
    damaged.set(0);
  }

  public long samples() {
    return samples.get();
  }

  public DeletionProgress progress(State state, @Nullable String problem) {
    return new DeletionProgress(
        state,
        rows.get(),
        samples.get(),
        cells.get(),
        rewritten.get(),
        damaged.get(),
        series.get(),
        problem);
  }
}
