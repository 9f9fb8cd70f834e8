package dev.varve.server.http;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Thrown to answer a request with an error that its sender can read and act on. */
public final class HttpError extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  private final int status;
  private final @Nullable Duration retryAfter;

  public HttpError(int status, String message) {
    this(status, message, null);
  }

  public HttpError(int status, String message, @Nullable Duration retryAfter) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }

  public static HttpError badRequest(String message) {
    return new HttpError(400, message);
  }

  public int status() {
    return status;
  }

  @Override
  public ErrorKind kind() {
    return kind(status);
  }

  /** Returns the kind of the errors that have an HTTP status. */
  public static ErrorKind kind(int status) {
    return switch (status) {
      case 404 -> ErrorKind.NOT_FOUND;
      case 413 -> ErrorKind.LIMIT;
      case 429 -> ErrorKind.OVERLOADED;
      case 499 -> ErrorKind.CANCELLED;
      case 502, 503, 504 -> ErrorKind.UNAVAILABLE;
      default -> status < 500 ? ErrorKind.USER : ErrorKind.INTERNAL;
    };
  }

  @Override
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }
}
