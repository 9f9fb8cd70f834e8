package dev.varve.query;

import dev.varve.model.Samples;

/** Passes everything on, after it has given it to a receiver. */
final class CopyStage extends Stage {
  private final ResultSink receiver;

  CopyStage(ResultSink receiver, Stage next) {
    super(next);
    this.receiver = receiver;
  }

  @Override
  public void begin(ResultSeries series) {
    receiver.begin(series);
    next.begin(series);
  }

  @Override
  public void samples(Samples samples, int from, int to) {
    receiver.samples(samples, from, to);
    next.samples(samples, from, to);
  }

  @Override
  public void gap(long time) {
    receiver.gap(time);
    next.gap(time);
  }

  @Override
  public void end() {
    receiver.end();
    next.end();
  }
}
