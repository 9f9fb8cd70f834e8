package dev.varve.layout;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/** Thrown if a key, attribute or declaration is outside what a layout supports. */
public final class RefusedException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  private final transient Refusal refusal;

  public RefusedException(String rule, String message) {
    super(message);
    this.refusal = new Refusal(rule, message);
  }

  public Refusal refusal() {
    return refusal;
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
