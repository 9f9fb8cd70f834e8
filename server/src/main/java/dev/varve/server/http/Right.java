package dev.varve.server.http;

import java.util.Locale;

/** A permission of a caller. Every route needs exactly one. */
public enum Right {
  /** Needs no authentication. */
  OPEN,
  /** Needs an authenticated caller, with any rights. */
  LOGIN,
  READ,
  WRITE,
  DELETE,
  ADMIN;

  /** Returns the name in files and messages. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
