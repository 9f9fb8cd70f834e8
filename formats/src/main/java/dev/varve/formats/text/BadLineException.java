package dev.varve.formats.text;

/**
 * A line is not of its format. The message says what is wrong and what would be right; it carries
 * no stack, since bad lines may be many.
 */
public sealed class BadLineException extends RuntimeException permits OpenTextException {
  private static final long serialVersionUID = 1;

  public BadLineException(String message) {
    super(message, null, false, false);
  }
}
