package dev.varve.query;

import dev.varve.model.Samples;

/**
 * An operator that receives series and passes on others. State of one series must be passed on by
 * {@link #end}, state across series by {@link #finish}.
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

  /** Called after the last series. */
  void finish() {
    next.finish();
  }

  /** Returns whether no further series is wanted. */
  boolean satisfied() {
    return next.satisfied();
  }

  /** Returns the end of the chain. */
  static Stage into(ResultSink sink) {
    return new Last(sink);
  }

  private static final class Last extends Stage {
    private final ResultSink sink;

    @SuppressWarnings("NullAway") // The last stage has no successor and never uses it.
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
