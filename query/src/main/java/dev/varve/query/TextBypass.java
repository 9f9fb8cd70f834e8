package dev.varve.query;

import dev.varve.model.Samples;

/** Passes series of numbers to an operator and series of texts around it. */
final class TextBypass extends Stage {
  private final Stage operator;
  private Stage current;

  TextBypass(Stage operator, Stage next) {
    super(next);
    this.operator = operator;
    this.current = operator;
  }

  @Override
  public void begin(ResultSeries series) {
    current = series.text() ? next : operator;
    current.begin(series);
  }

  @Override
  public void samples(Samples samples, int from, int to) {
    current.samples(samples, from, to);
  }

  @Override
  public void gap(long time) {
    current.gap(time);
  }

  @Override
  public void end() {
    current.end();
  }

  @Override
  void finish() {
    operator.finish();
  }
}
