package dev.varve.query.promql.eval;

/** The samples of a series within a range of time, at least one; a view. */
final class Window {
  final double[] values;

  /** Checked for cancellation by slow functions. */
  final RowMemory held;

  private final long[] times;
  int from;
  int to;

  /** The range, after {@code start} up to and including {@code end}, in ms since 1970. */
  long start;

  long end;

  /** The time of the evaluation, without the offset. */
  long now;

  /** The parameter of the function at this step. */
  double parameter;

  Window(SampleVector samples, RowMemory held) {
    this.held = held;
    this.times = samples.times();
    this.values = samples.values();
  }

  int size() {
    return to - from;
  }

  /**
   * Returns the end of a stretch of samples to process before the next check for cancellation.
   *
   * @param first index of the first sample of the stretch
   */
  int stretch(int first) {
    return held.stretch(first, to);
  }

  long time(int index) {
    return times[index];
  }

  double rangeSeconds() {
    return (end - start) / 1000.0;
  }
}
