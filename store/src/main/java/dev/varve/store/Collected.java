package dev.varve.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Whether a store has removed deleted cells from its own files.
 *
 * @param gone whether the files surely lack the cells
 * @param from the first instant at which the store may remove them, or, if {@code certain}, at
 *     which it has; null if it names none
 * @param certain whether the cells are surely gone at {@code from}
 * @param text for the operator, in whole sentences: what is known, how to remove the cells earlier,
 *     and how to check; empty if they are gone
 */
public record Collected(boolean gone, @Nullable Instant from, boolean certain, String text) {
  /** The cells are gone. */
  public static final Collected GONE = new Collected(true, null, true, "");

  /** The cells may be there, and the store does not say how long. */
  public static Collected unknown(String text) {
    return new Collected(false, null, false, text);
  }
}
