package dev.varve.query.running;

import java.util.Locale;

/** The outcome of a query. */
public enum Outcome {
  OK,
  /** The query was invalid, or asked for something that is not possible. */
  REFUSED,
  /** It exceeded a limit. */
  LIMIT,
  /** It ran or waited for too long. */
  TIMEOUT,
  /** A user stopped it by its id. */
  KILLED,
  /** The client disconnected. */
  GONE,
  /** Too many other queries were running and waiting, or held too much memory. */
  BUSY,
  FAILED;

  /** Returns the name used in logs and metrics. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
