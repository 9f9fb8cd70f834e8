package dev.varve.server.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** How a dialect says that something is wrong. */
@FunctionalInterface
public interface ErrorFormat {
  ErrorFormat PLAIN = (status, message) -> new Body("text/plain; charset=utf-8", message + "\n");

  /** The kind of error of a path at which nothing is. */
  String NOTHING_THERE = "nothing-there";

  Body of(int status, String message);

  /**
   * The same for dialects that answer in the form of the request, or tell more kinds apart than
   * statuses.
   *
   * @param kind {@code timeout}, {@code canceled}, {@link #NOTHING_THERE}, or empty
   */
  default Body of(Exchange exchange, int status, String kind, String message) {
    return of(status, message);
  }

  /** What stands in headers of such an answer. */
  default Map<String, String> headers(String message) {
    return Map.of();
  }

  /** The answer's body. */
  record Body(String contentType, byte[] bytes) {
    public Body(String contentType, String text) {
      this(contentType, text.getBytes(StandardCharsets.UTF_8));
    }
  }
}
