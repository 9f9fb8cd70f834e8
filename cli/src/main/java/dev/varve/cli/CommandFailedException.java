package dev.varve.cli;

/** A command cannot go on. The message is for the user; the exit code is 1. */
public final class CommandFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public CommandFailedException(String message) {
    super(message);
  }
}
