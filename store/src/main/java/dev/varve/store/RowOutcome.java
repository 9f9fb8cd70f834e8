package dev.varve.store;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of one row's mutation.
 *
 * @param reason what went wrong, in words for the writer; null if the mutation was applied
 */
public record RowOutcome(Status status, @Nullable String reason) {
  public static final RowOutcome APPLIED = new RowOutcome(Status.APPLIED, null);

  public enum Status {
    /** The mutation was applied with the requested durability. */
    APPLIED,
    /** The mutation can never be applied in this form, for example because it is too large. */
    REJECTED,
    /**
     * The mutation was definitely not applied and may be retried. Dropped tables and missing
     * permissions count as such, because an operator can fix them.
     */
    NOT_APPLIED,
    /**
     * The outcome is unknown and must not be taken for success. Retrying is safe because edits are
     * idempotent.
     */
    UNKNOWN
  }

  public boolean applied() {
    return status == Status.APPLIED;
  }
}
