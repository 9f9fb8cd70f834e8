package dev.varve.model;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An exception whose message is meant for users. Its implementations are all over the modules, so
 * not they but the kinds are a closed set: who chooses a code by the kind covers all of them.
 */
public interface KnownError {
  /** Returns the kind of its cause. */
  ErrorKind kind();

  /** Returns the time after which a retry is worthwhile; null if it is unknown or never. */
  default @Nullable Duration retryAfter() {
    return null;
  }
}
