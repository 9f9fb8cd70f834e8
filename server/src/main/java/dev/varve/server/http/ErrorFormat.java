package dev.varve.server.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The form of a dialect's errors. */
@FunctionalInterface
public interface ErrorFormat {
  ErrorFormat PLAIN = (status, message) -> new Body("text/plain; charset=utf-8", message + "\n");

  /** The kind of an error for a path that does not exist. */
  String NOTHING_THERE = "nothing-there";

  Body of(int status, String message);

  /**
   * Returns the body for dialects whose errors depend on the request, or distinguish more kinds
   * than statuses.
   *
   * @param kind {@code timeout}, {@code canceled}, {@link #NOTHING_THERE}, or empty
   */
  default Body of(Exchange exchange, int status, String kind, String message) {
    return of(status, message);
  }

  /** Returns the headers of such an answer. */
  default Map<String, String> headers(String message) {
    return Map.of();
  }

  /** The body of an answer. */
  record Body(String contentType, byte[] bytes) {
    public Body(String contentType, String text) {
      this(contentType, text.getBytes(StandardCharsets.UTF_8));
    }
  }
}
