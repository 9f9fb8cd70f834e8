package dev.varve.server.http;

import java.util.Locale;

/** A permission of a caller. Every route needs exactly one. */
public enum Right {
  /** Needs no authentication. */
  OPEN,
  /** Needs an authenticated caller, with any rights. */
  LOGIN,
  /** Reads samples, series and metadata. */
  READ,
  /** Writes samples and metadata. */
  WRITE,
  /** Deletes samples and series. */
  DELETE,
  /** Administers the server: queries, tasks, snapshots and configuration. */
  ADMIN;

  /** Returns the name in files and messages. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
