package dev.varve.query.promql;

import java.util.List;

/**
 * The rule by which the elements of two instant vectors are matched.
 *
 * @param on whether {@code labels} are the ones that must agree; otherwise they are ignored
 * @param include labels that the result takes from the "one" side
 */
public record VectorMatching(
    Cardinality cardinality, List<String> labels, boolean on, List<String> include) {
  public VectorMatching {
    labels = List.copyOf(labels);
    include = List.copyOf(include);
  }

  /** The number of elements on the left and on the right side that may match each other. */
  public enum Cardinality {
    ONE_TO_ONE("one-to-one"),
    MANY_TO_ONE("many-to-one"),
    ONE_TO_MANY("one-to-many"),
    MANY_TO_MANY("many-to-many");

    private final String text;

    Cardinality(String text) {
      this.text = text;
    }

    /** Returns the name in Prometheus' API. */
    public String text() {
      return text;
    }
  }

  /** Returns whether the query uses {@code group_left} or {@code group_right}. */
  boolean isGrouped() {
    return cardinality == Cardinality.MANY_TO_ONE || cardinality == Cardinality.ONE_TO_MANY;
  }
}
