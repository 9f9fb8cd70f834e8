package dev.varve.query;

import dev.varve.model.Kind;
import dev.varve.model.Samples;

/** An operator on each series of numbers separately. */
abstract class NumberStage extends Stage {
  private final String name;
  final Emitter out;

  NumberStage(String name, Stage next) {
    super(next);
    this.name = name;
    this.out = new Emitter(next);
  }

  void beginNumbers() {}

  abstract void numbers(Samples samples, int from, int to);

  /** Emits what remains at the end of a series. */
  void endNumbers() {}

  @Override
  public final void begin(ResultSeries series) {
    next.begin(series);
    beginNumbers();
  }

  @Override
  public final void samples(Samples samples, int from, int to) {
    if (samples.kind() == Kind.STRING) {
      throw new OperatorException(
          name + " cannot take the text at " + samples.time(from) + ": it needs numbers");
    }
    numbers(samples, from, to);
  }

  @Override
  public void gap(long time) {
    throw noGaps();
  }

  final OperatorException noGaps() {
    return new OperatorException(name + " cannot take gaps; fill them last");
  }

  @Override
  public final void end() {
    endNumbers();
    out.flush();
    next.end();
  }
}
