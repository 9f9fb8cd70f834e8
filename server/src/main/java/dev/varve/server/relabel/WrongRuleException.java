package dev.varve.server.relabel;

/** Thrown if a relabelling rule is inconsistent; the message is Prometheus' if it has one. */
final class WrongRuleException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final String key;

  /**
   * @param key of the rule that has to change or is missing, one of {@link RelabelConfig#KEYS}
   */
  WrongRuleException(String key, String message) {
    super(message);
    this.key = key;
  }

  /** Returns the key of the rule that has to change or is missing. */
  String key() {
    return key;
  }
}
