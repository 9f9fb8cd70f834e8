package dev.varve.cli;

/** A command was called in a way that it has no meaning for. The exit code is 2. */
public final class WrongCallException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public WrongCallException(String message) {
    super(message);
  }
}
