package dev.varve.query.promql;

/** The type of an expression. */
public enum ValueType {
  SCALAR("scalar", "scalar"),
  VECTOR("vector", "instant vector"),
  MATRIX("matrix", "range vector"),
  STRING("string", "string");

  private final String text;
  private final String description;

  ValueType(String text, String description) {
    this.text = text;
    this.description = description;
  }

  /** Returns the name in Prometheus' API. */
  public String text() {
    return text;
  }

  /** Returns the name in documentation and messages. */
  public String description() {
    return description;
  }
}
