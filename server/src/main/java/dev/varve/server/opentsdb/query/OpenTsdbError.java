package dev.varve.server.opentsdb.query;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;
import dev.varve.server.http.HttpError;

/** Thrown to answer a request with an error in OpenTSDB's format. */
public final class OpenTsdbError extends RuntimeException implements KnownError {
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

  @Override
  public ErrorKind kind() {
    return HttpError.kind(status);
  }

  public int status() {
    return status;
  }

  public String details() {
    return details;
  }
}
