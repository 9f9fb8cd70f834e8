package dev.varve.query.promql;

/**
 * A condition on a label of a series; a missing label counts as the empty text.
 *
 * @param value a text, or for {@link Operator#MATCH} and {@link Operator#NO_MATCH} a regular
 *     expression in RE2 syntax that must match the whole value; its dot matches any character
 */
public record LabelMatcher(String name, Operator operator, String value) {
  /** The label that contains the metric. */
  public static final String METRIC_NAME = "__name__";

  /** The operator that compares the label with the value. */
  public enum Operator {
    EQUAL("="),
    NOT_EQUAL("!="),
    MATCH("=~"),
    NO_MATCH("!~");

    private final String text;

    Operator(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  static LabelMatcher metric(String name) {
    return new LabelMatcher(METRIC_NAME, Operator.EQUAL, name);
  }

  boolean isMetric(String metric) {
    return name.equals(METRIC_NAME) && operator == Operator.EQUAL && value.equals(metric);
  }
}
