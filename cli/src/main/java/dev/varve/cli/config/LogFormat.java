package dev.varve.cli.config;

import java.util.Locale;

/** The format of a server's log. */
public enum LogFormat {
  /** Lines for people. */
  TEXT,
  /** One JSON object per line, for programs that collect logs. */
  JSON;

  /** Returns the word of the configuration. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
