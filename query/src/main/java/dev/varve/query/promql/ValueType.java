package dev.varve.query.promql;

/** What an expression comes to. */
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

  /** The name in Prometheus' API. */
  public String text() {
    return text;
  }

  /** The name in documentation and messages. */
  public String description() {
    return description;
  }
}
