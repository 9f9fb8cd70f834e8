package dev.varve.query.running;

import java.util.Locale;

/** How a query ended. */
public enum Outcome {
  OK,
  /** It was asked wrongly, or for what cannot be given. */
  REFUSED,
  /** It went beyond a limit. */
  LIMIT,
  /** Its time was up, or it waited too long for others. */
  TIMEOUT,
  /** Somebody ended it by its id. */
  KILLED,
  /** Whoever asked is no longer there. */
  GONE,
  /** Too many others ran and waited, or held too much. */
  BUSY,
  FAILED;

  /** As it stands in logs and metrics. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
