package dev.varve.query.promql.plan;

import dev.varve.query.promql.SourceRange;
import org.jspecify.annotations.Nullable;

/**
 * A position in the query that a note may refer to. All are equal, so that positions do not affect
 * the comparison of plans.
 */
public record QueryPosition(SourceRange range) {
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof QueryPosition;
  }

  @Override
  public int hashCode() {
    return 1;
  }
}
