package dev.varve.query.promql.eval;

/** The samples of a series within a range of time, of which there is at least one; a view. */
final class Window {
  final double[] values;

  /** Asked by functions that take long. */
  final Held held;

  private final long[] times;
  int from;
  int to;

  /** The range: behind {@code start}, up to {@code end}; in ms since 1970. */
  long start;

  long end;

  /** The time of the evaluation, which an offset does not move. */
  long now;

  /** The parameter of the function at this step. */
  double parameter;

  Window(SampleVector samples, Held held) {
    this.held = held;
    this.times = samples.times();
    this.values = samples.values();
  }

  int size() {
    return to - from;
  }

  /**
   * Where a stretch of samples ends that is worked out without a question whether to go on.
   *
   * @param first where it begins
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
