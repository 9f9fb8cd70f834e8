package dev.varve.model;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An exception whose message is meant for users. Every module defines its own implementations, so
 * this interface is not sealed. The kinds are closed: code that switches on {@link #kind()} covers
 * every known error.
 */
public interface KnownError {
  /** Returns the kind of its cause. */
  ErrorKind kind();

  /** Returns the time after which a retry is worthwhile; null if it is unknown or never. */
  default @Nullable Duration retryAfter() {
    return null;
  }
}
