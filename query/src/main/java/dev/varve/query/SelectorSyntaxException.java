package dev.varve.query;

/** A text is no selector. The message has the text, the place and what was expected there. */
public final class SelectorSyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int position;

  SelectorSyntaxException(String text, int position, String message) {
    super("character %d: %s, in: %s".formatted(position + 1, message, text));
    this.position = position;
  }

  /** The place of the first character that is wrong, counted from 0. */
  public int position() {
    return position;
  }
}
