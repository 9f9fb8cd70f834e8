package dev.varve.formats.text;

/** Thrown if a line ends within a quoted string, which may continue in the next line. */
public final class OpenTextException extends BadLineException {
  private static final long serialVersionUID = 1;

  OpenTextException(String message) {
    super(message);
  }
}
