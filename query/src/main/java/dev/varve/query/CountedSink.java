package dev.varve.query;

import dev.varve.model.Samples;
import dev.varve.query.running.QueryUse;

/** Counts what an answer has, and ends it where it is not wanted any more. */
final class CountedSink implements ResultSink {
  /** So many are handed on at once: whoever prints them is asked between whether to go on. */
  private static final int SAMPLES_AT_ONCE = 4096;

  private final ResultSink sink;
  private final QueryUse use;

  CountedSink(ResultSink sink, QueryUse use) {
    this.sink = sink;
    this.use = use;
  }

  @Override
  public void begin(ResultSeries series) {
    use.giveWay();
    sink.begin(series);
  }

  @Override
  public void samples(Samples samples, int from, int to) {
    for (int at = from; at < to; at += SAMPLES_AT_ONCE) {
      int end = Math.min(to, at + SAMPLES_AT_ONCE);
      use.giveWay();
      use.pointsReturned(end - at);
      sink.samples(samples, at, end);
    }
  }

  @Override
  public void gap(long time) {
    use.pointsReturned(1);
    sink.gap(time);
  }

  @Override
  public void end() {
    sink.end();
  }
}
