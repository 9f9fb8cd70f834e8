package dev.varve.query;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/**
 * Thrown if a text is not a selector. The message contains the text, the position and what was
 * expected.
 */
public final class SelectorSyntaxException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  private final int position;

  SelectorSyntaxException(String text, int position, String message) {
    super("character %d: %s, in: %s".formatted(position + 1, message, text));
    this.position = position;
  }

  /** Returns the index of the first wrong character, from 0. */
  public int position() {
    return position;
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
