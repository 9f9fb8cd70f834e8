package dev.varve.server.opentsdb.query;

/** Thrown to answer a request with an error in OpenTSDB's format. */
public final class OpenTsdbError extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;
  private final String details;

  public OpenTsdbError(int status, String message) {
    this(status, message, "");
  }

  /**
   * Creates an error.
   *
   * @param details empty for none
   */
  public OpenTsdbError(int status, String message, String details) {
    super(message);
    this.status = status;
    this.details = details;
  }

  /** Returns an error that OpenTSDB finds while it answers: the details repeat the message. */
  public static OpenTsdbError amid(String message) {
    return new OpenTsdbError(400, message, message);
  }

  public int status() {
    return status;
  }

  public String details() {
    return details;
  }
}
