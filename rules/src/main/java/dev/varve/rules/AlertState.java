package dev.varve.rules;

import java.util.Locale;

/** State of an alert. */
public enum AlertState {
  INACTIVE,
  PENDING,
  FIRING;

  /** Returns the name used in labels and answers. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
