package dev.varve.query.promql;

/**
 * A condition on a label of a series; a label that a series does not carry counts as the empty
 * text.
 *
 * @param value a text, or for {@link Operator#MATCH} and {@link Operator#NO_MATCH} a regular
 *     expression of RE2 syntax that fits the whole of a label's value, in which a dot is any
 *     character
 */
public record LabelMatcher(String name, Operator operator, String value) {
  /** The label under which the name of a metric stands. */
  public static final String METRIC_NAME = "__name__";

  /** How the label and the value are compared. */
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
