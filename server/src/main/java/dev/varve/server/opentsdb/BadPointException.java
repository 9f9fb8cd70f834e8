package dev.varve.server.opentsdb;

/** Thrown if a point is invalid. The reason is OpenTSDB's message. */
final class BadPointException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Stands for a line that is not a point. */
  private static final DataPoint NOTHING = new DataPoint(null, 0, null, null, null, null);

  private final transient DataPoint point;
  private final String reason;
  private final String line;

  /**
   * Creates an exception.
   *
   * @param point as the answer shows it
   */
  BadPointException(DataPoint point, String reason) {
    this(point, reason, "illegal argument: " + reason);
  }

  /**
   * Creates an exception.
   *
   * @param line the reason in the form of telnet
   */
  BadPointException(DataPoint point, String reason, String line) {
    super(reason, null, false, false);
    this.point = point;
    this.reason = reason;
    this.line = line;
  }

  /**
   * Returns the exception for a line that is not a point.
   *
   * @param line the reason in the form of telnet
   */
  static BadPointException of(String line) {
    return new BadPointException(NOTHING, line, line);
  }

  /** Returns the reason as telnet answers it, after the command. */
  String line() {
    return line;
  }

  DataPoint point() {
    return point;
  }

  String reason() {
    return reason;
  }
}
