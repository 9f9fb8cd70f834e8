package dev.varve.engine.write;

import dev.varve.engine.error.WriteFailedException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Why nothing may be written to a dataset until a restart. Safe for use by several threads. */
final class WriteStop {
  private final AtomicReference<@Nullable String> first = new AtomicReference<>();

  /**
   * Stops writes.
   *
   * @return whether this is the first reason
   */
  boolean stop(String reason) {
    return first.compareAndSet(null, reason);
  }

  /** Returns the first reason; null while writes are allowed. */
  @Nullable String reason() {
    return first.get();
  }

  /**
   * Checks that writes are allowed.
   *
   * @throws WriteFailedException with the first reason if they are not
   */
  void ensureNone() {
    String reason = first.get();
    if (reason != null) {
      throw new WriteFailedException(reason, false);
    }
  }
}
