package dev.varve.server.scrape;

/** A scrape failed, for a reason that whoever runs the server should read. */
final class ScrapeException extends Exception {
  private static final long serialVersionUID = 1;

  ScrapeException(String message) {
    super(message, null, false, false);
  }
}
