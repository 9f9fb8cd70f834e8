package dev.varve.query.promql.plan;

import dev.varve.model.Recurring;
import org.jspecify.annotations.Nullable;

/**
 * The evaluation times of a selector or a subquery: one for each step, shifted by its offset, or
 * the same for all with {@code @}.
 *
 * @param steps the steps of the evaluation
 * @param fixed whether the time is the same for all steps
 * @param first the time of the first step, in ms since 1970
 */
public record Instants(StepTimes steps, boolean fixed, long first) {
  public long at(int step) {
    return fixed ? first : first + step * steps.step();
  }

  /** Returns by how much the instant of a step is later than that of the one before, in ms. */
  public long stride() {
    return fixed ? 0 : steps.step();
  }

  public long last() {
    return at(steps.count() - 1);
  }

  /**
   * Returns the stretches of the given length before these times; null if there are no gaps between
   * them.
   *
   * @param back in ms
   */
  @Nullable Recurring lookingBack(long back) {
    return fixed || back < 1 || steps.count() < 2 || steps.step() <= back
        ? null
        : new Recurring(first - back + 1, steps.step(), back);
  }

  /** Returns whether all steps have the same instant. */
  boolean isOne() {
    return first() == last();
  }

  /** Returns the instant of the first step alone. */
  Instants firstOnly() {
    return new Instants(StepTimes.at(steps.start()), fixed, first);
  }
}
