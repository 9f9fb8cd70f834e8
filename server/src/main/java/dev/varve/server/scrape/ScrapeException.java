package dev.varve.server.scrape;

/** Thrown if a scrape fails; the message is for operators. */
final class ScrapeException extends Exception {
  private static final long serialVersionUID = 1;

  ScrapeException(String message) {
    super(message, null, false, false);
  }
}
