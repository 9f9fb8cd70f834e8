package dev.varve.layout;

/** A key, attribute or declaration lies outside what a layout can hold. */
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
