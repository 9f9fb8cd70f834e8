package dev.varve.server.text;

/** A line ends within a quoted text, which may go on in the next one. */
public final class OpenTextException extends BadLineException {
  private static final long serialVersionUID = 1;

  OpenTextException(String message) {
    super(message);
  }
}
