package dev.varve.server.opentsdb;

/** Thrown to answer a request with an error in OpenTSDB's format. */
final class OpenTsdbError extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;
  private final String details;

  OpenTsdbError(int status, String message) {
    this(status, message, "");
  }

  /**
   * @param details empty for none
   */
  OpenTsdbError(int status, String message, String details) {
    super(message);
    this.status = status;
    this.details = details;
  }

  int status() {
    return status;
  }

  String details() {
    return details;
  }
}
