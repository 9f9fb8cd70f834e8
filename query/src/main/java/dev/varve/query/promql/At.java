package dev.varve.query.promql;

/** The time at which a selector or a subquery is evaluated, whatever the time of the evaluation. */
public sealed interface At {
  /** A time. */
  record Time(long epochMillis) implements At {}

  /** An end of the range of the whole query. */
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
