package dev.varve.engine.periods;

import dev.varve.model.TimeRange;
import java.util.BitSet;

/**
 * The series that are written in a range of times while their samples are copied. Takes a bit for
 * each series of the dataset. Safe for use by several threads.
 */
public final class LateWrites {
  private final TimeRange times;
  private BitSet series = new BitSet();

  /**
   * @param times the range, in the resolution of the dataset
   */
  public LateWrites(TimeRange times) {
    this.times = times;
  }

  /**
   * Records a write, after its cells were applied and before other writers are let in.
   *
   * @param number of the series in the index
   * @param written the range of the samples
   */
  public synchronized void add(int number, TimeRange written) {
    if (number >= 0 && written.overlaps(times)) {
      series.set(number);
    }
  }

  /** Returns the series noted since the last call. */
  public synchronized BitSet take() {
    BitSet taken = series;
    series = new BitSet();
    return taken;
  }

  /** Puts series back that were taken, because they could not be copied. */
  public synchronized void putBack(BitSet taken) {
    series.or(taken);
  }

  public synchronized boolean isEmpty() {
    return series.isEmpty();
  }
}
