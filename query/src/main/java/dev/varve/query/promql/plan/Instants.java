package dev.varve.query.promql.plan;

import dev.varve.model.Recurring;
import org.jspecify.annotations.Nullable;

/**
 * The times that a selector or a subquery looks at: one for each step, moved by its offset, or the
 * same for all where it says {@code @}.
 *
 * @param steps at which it is asked
 * @param fixed whether it looks at one time, whatever the step
 * @param first the time of the first step, in ms since 1970
 */
public record Instants(Steps steps, boolean fixed, long first) {
  public long at(int step) {
    return fixed ? first : first + step * steps.step();
  }

  public long last() {
    return at(steps.count() - 1);
  }

  /**
   * The times that are looked at where each looks back so far; null where these leave no gaps.
   *
   * @param back in ms
   */
  @Nullable Recurring lookingBack(long back) {
    return fixed || back < 1 || steps.count() < 2 || steps.step() <= back
        ? null
        : new Recurring(first - back + 1, steps.step(), back);
  }

  /** The same at the first step alone. */
  Instants firstOnly() {
    return new Instants(Steps.at(steps.start()), fixed, first);
  }
}
