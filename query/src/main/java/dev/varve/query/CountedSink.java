package dev.varve.query;

import dev.varve.model.Samples;
import dev.varve.query.running.QueryUse;

/** Counts the samples of a result and stops the query when it is cancelled or exceeds a limit. */
final class CountedSink implements ResultSink {
  /** Maximum number of samples passed on at once; cancellation is checked in between. */
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
    use.giveWay();
    use.pointsReturned(1);
    sink.gap(time);
  }

  @Override
  public void end() {
    sink.end();
  }
}
