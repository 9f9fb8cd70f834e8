package dev.varve.query.promql;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Time modifiers of a selector or a subquery.
 *
 * @param offset how far back; negative to look ahead
 * @param at the base time; null for the time of the evaluation
 */
public record Modifiers(Duration offset, @Nullable At at) {
  public static final Modifiers NONE = new Modifiers(Duration.ZERO, null);
}
