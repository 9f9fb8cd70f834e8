package dev.varve.server.http;

/** How a dialect says that something is wrong. */
@FunctionalInterface
public interface ErrorFormat {
  ErrorFormat PLAIN = message -> new Body("text/plain; charset=utf-8", message + "\n");

  Body of(String message);

  /** The answer's body. */
  record Body(String contentType, String text) {}
}
