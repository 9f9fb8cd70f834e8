package dev.varve.server.http;

/** How a dialect says that something is wrong. */
@FunctionalInterface
public interface ErrorFormat {
  ErrorFormat PLAIN = (status, message) -> new Body("text/plain; charset=utf-8", message + "\n");

  Body of(int status, String message);

  /** The answer's body. */
  record Body(String contentType, String text) {}
}
