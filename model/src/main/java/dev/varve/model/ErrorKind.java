package dev.varve.model;

/**
 * The causes that users and clients tell apart. Every exception that is meant for them is a {@link
 * KnownError} of one kind; every other exception is {@link #INTERNAL}. HTTP status, exit code and
 * query outcome each follow from the kind, in one place.
 */
public enum ErrorKind {
  /** The request, command or configuration is wrong; repeating it fails again. */
  USER,
  /** The request names something that does not exist. */
  NOT_FOUND,
  /** The request exceeds a limit; a smaller one may succeed. */
  LIMIT,
  /** The server is busy; nothing was done, and a retry may succeed. */
  OVERLOADED,
  /** A store or another server fails; a retry may succeed. */
  UNAVAILABLE,
  /** Stored data is damaged; a retry meets the same damage. */
  CORRUPT,
  /** The client or an operator ended the work. */
  CANCELLED,
  /** A defect of Varve. */
  INTERNAL;

  /** Returns the kind of an exception: that of a known error, {@link #INTERNAL} for all others. */
  public static ErrorKind of(Throwable thrown) {
    return thrown instanceof KnownError known ? known.kind() : INTERNAL;
  }
}
