package dev.varve.query.promql.plan;

import dev.varve.query.promql.SourceRange;
import org.jspecify.annotations.Nullable;

/**
 * Where in the query something stands that a note may be about. All places are equal, so that plans
 * are compared by what they do.
 */
public record Place(SourceRange range) {
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Place;
  }

  @Override
  public int hashCode() {
    return 1;
  }
}
