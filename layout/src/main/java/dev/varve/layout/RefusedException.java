package dev.varve.layout;

/** Thrown if a key, attribute or declaration is outside what a layout supports. */
public final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Refusal refusal;

  public RefusedException(String rule, String message) {
    super(message);
    this.refusal = new Refusal(rule, message);
  }

  public Refusal refusal() {
    return refusal;
  }
}
