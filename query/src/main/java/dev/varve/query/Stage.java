package dev.varve.query;

import dev.varve.model.Samples;

/**
 * An operator: takes series and hands on others. What it keeps of a series it has handed on when
 * {@link #end} returns, what it keeps of all when {@link #finish} does.
 */
abstract class Stage implements ResultSink {
  final Stage next;

  Stage(Stage next) {
    this.next = next;
  }

  @Override
  public void begin(ResultSeries series) {
    next.begin(series);
  }

  @Override
  public void gap(long time) {
    next.gap(time);
  }

  @Override
  public void end() {
    next.end();
  }

  /** All series have come. */
  void finish() {
    next.finish();
  }

  /** Whether no further series is wanted. */
  boolean satisfied() {
    return next.satisfied();
  }

  /** The end of the chain. */
  static Stage into(ResultSink sink) {
    return new Last(sink);
  }

  private static final class Last extends Stage {
    private final ResultSink sink;

    @SuppressWarnings("NullAway") // The last stage has none behind it, and overrides all that asks.
    Last(ResultSink sink) {
      super(null);
      this.sink = sink;
    }

    @Override
    public void begin(ResultSeries series) {
      sink.begin(series);
    }

    @Override
    public void samples(Samples samples, int from, int to) {
      sink.samples(samples, from, to);
    }

    @Override
    public void gap(long time) {
      sink.gap(time);
    }

    @Override
    public void end() {
      sink.end();
    }

    @Override
    void finish() {}

    @Override
    boolean satisfied() {
      return false;
    }
  }
}
