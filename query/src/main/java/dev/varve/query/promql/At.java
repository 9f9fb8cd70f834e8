package dev.varve.query.promql;

/** The {@code @} modifier: a fixed time at which a selector or a subquery is evaluated. */
public sealed interface At {
  /** A fixed timestamp. */
  record Time(long epochMillis) implements At {}

  /** The start or end of the range of the whole query. */
  enum Edge implements At {
    START("start"),
    END("end");

    private final String text;

    Edge(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }
}
