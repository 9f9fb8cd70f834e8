package dev.varve.server.points;

/** A line is not of the point form. The message says where and what would be right. */
public final class PointFormatException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public PointFormatException(String message) {
    super(message);
  }
}
