package dev.varve.server.http;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Thrown to answer a request with an error that its sender can read and act on. */
public final class HttpError extends RuntimeException {
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

  /** Returns the time after which a retry is worthwhile; null if it is not. */
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }
}
