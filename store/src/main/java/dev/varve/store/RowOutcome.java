package dev.varve.store;

import org.jspecify.annotations.Nullable;

/**
 * How the mutation of one row ended.
 *
 * @param reason what went wrong, in words for the writer; null where it was applied
 */
public record RowOutcome(Status status, @Nullable String reason) {
  public static final RowOutcome APPLIED = new RowOutcome(Status.APPLIED, null);

  public enum Status {
    /** It stands, as durable as was asked. */
    APPLIED,
    /** It will never be applied as it is: too large, malformed. */
    REJECTED,
    /**
     * It was surely not applied and may be tried again; of a table that was dropped and where a
     * permission is missing too, since an operator can put that right.
     */
    NOT_APPLIED,
    /**
     * Nobody knows: never to be taken for success; may be tried again, as edits are safe to repeat.
     */
    UNKNOWN
  }

  public boolean applied() {
    return status == Status.APPLIED;
  }
}
