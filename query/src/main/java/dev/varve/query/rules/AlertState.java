package dev.varve.query.rules;

import java.util.Locale;

/** How far an alert has come. */
public enum AlertState {
  INACTIVE,
  PENDING,
  FIRING;

  /** As it is written in labels and answers. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
