package dev.varve.query.promql;

import java.util.List;

/**
 * Which elements of two instant vectors belong together.
 *
 * @param on whether {@code labels} are those that have to agree; else those that need not
 * @param include labels that the result takes over from the side of which there is one
 */
public record VectorMatching(
    Cardinality cardinality, List<String> labels, boolean on, List<String> include) {
  public VectorMatching {
    labels = List.copyOf(labels);
    include = List.copyOf(include);
  }

  /** How many elements of the left side meet how many of the right. */
  public enum Cardinality {
    ONE_TO_ONE("one-to-one"),
    MANY_TO_ONE("many-to-one"),
    ONE_TO_MANY("one-to-many"),
    MANY_TO_MANY("many-to-many");

    private final String text;

    Cardinality(String text) {
      this.text = text;
    }

    /** The name in Prometheus' API. */
    public String text() {
      return text;
    }
  }

  /** Whether one side says {@code group_left} or {@code group_right}. */
  boolean isGrouped() {
    return cardinality == Cardinality.MANY_TO_ONE || cardinality == Cardinality.ONE_TO_MANY;
  }
}
