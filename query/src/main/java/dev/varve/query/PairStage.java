package dev.varve.query;

import dev.varve.model.Samples;
import dev.varve.query.QueryPlan.Rate;
import org.jspecify.annotations.Nullable;

/** Changes and rates between consecutive samples. */
final class PairStage extends NumberStage {
  private final @Nullable Rate rate;
  private boolean seen;
  private long lastTime;
  private double lastValue;

  private PairStage(String name, @Nullable Rate rate, Stage next) {
    super(name, next);
    this.rate = rate;
  }

  static PairStage ofRates(Rate rate, Stage next) {
    return new PairStage(nameOf(rate), rate, next);
  }

  static PairStage ofDifferences(Stage next) {
    return new PairStage("diff", null, next);
  }

  private static String nameOf(Rate rate) {
    return rate.difference() ? "rate" : "sampler";
  }

  @Override
  void beginNumbers() {
    seen = false;
  }

  @Override
  void numbers(Samples samples, int from, int to) {
    for (int i = from; i < to; i++) {
      long time = samples.time(i);
      double value = samples.number(i);
      if (seen) {
        out.add(time, rate == null ? value - lastValue : rate(rate, time, value));
      }
      seen = true;
      lastTime = time;
      lastValue = value;
    }
  }

  private double rate(Rate plan, long time, double value) {
    if (time == lastTime) {
      throw new OperatorException(
          "%s: two samples at %d have no time between them; put an aggregation before it"
              .formatted(nameOf(plan), time));
    }
    double change = plan.difference() ? value - lastValue : value;
    if (plan.counter() && value < lastValue) {
      change = value;
    }
    double elapsedMillis = plan.per().resolution().millis(time - lastTime);
    return change / elapsedMillis * plan.per().millisFrom(lastTime);
  }
}
