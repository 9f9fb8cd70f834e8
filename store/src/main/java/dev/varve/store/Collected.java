package dev.varve.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of deleted cells in a store's own files.
 *
 * @param gone whether the files certainly no longer contain the cells
 * @param from the first instant at which the store may remove them; if {@code certain}, the instant
 *     by which it has removed them; null if unknown
 * @param certain whether the cells are certainly gone at {@code from}
 * @param text for the operator, in whole sentences: the known facts, how to remove the cells
 *     earlier, and how to check; empty if they are gone
 */
public record Collected(boolean gone, @Nullable Instant from, boolean certain, String text) {
  /** The cells are gone. */
  public static final Collected GONE = new Collected(true, null, true, "");

  /** The cells may still be there, and the store does not state for how long. */
  public static Collected unknown(String text) {
    return new Collected(false, null, false, text);
  }
}
