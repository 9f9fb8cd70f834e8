package dev.varve.server.http;

/**
 * Thrown if the sender of a connection may not write, or has lost the right to write. The message
 * becomes the last line of the connection.
 */
public final class SenderRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public SenderRefusedException(String message) {
    super(message);
  }
}
