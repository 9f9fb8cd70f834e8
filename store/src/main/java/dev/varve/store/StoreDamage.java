package dev.varve.store;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Damage in one of a store's files, and the store's response.
 *
 * @param kind the kind of the damaged place
 * @param outcome the store's response
 * @param file the file, as a path
 * @param offset the offset of the first bad byte in the file; -1 if unknown, for example because
 *     the file is missing
 * @param bytes number of bytes that are unreadable or were cut off; 0 or more
 * @param lostEdits number of puts and deletes of cells that are missing because of the damage; -1
 *     if unknown
 * @param after a time after which the missing edits were written; null if unknown
 * @param before a time before which the missing edits were written; null if unknown
 * @param keptIn the folder that now holds the damaged file; null if it was not moved
 * @param found when the store found the damage
 * @param rows the rows in the damaged place, as far as they are known
 * @param description one sentence for the operator that names the file and the missing data
 */
public record StoreDamage(
    Kind kind,
    Outcome outcome,
    String file,
    long offset,
    long bytes,
    long lostEdits,
    @Nullable Instant after,
    @Nullable Instant before,
    @Nullable String keptIn,
    Instant found,
    List<RowSpan> rows,
    String description) {
  public StoreDamage {
    rows = List.copyOf(rows);
  }

  /** Creates a report of damage whose rows are unknown. */
  public StoreDamage(
      Kind kind,
      Outcome outcome,
      String file,
      long offset,
      long bytes,
      long lostEdits,
      @Nullable Instant after,
      @Nullable Instant before,
      @Nullable String keptIn,
      Instant found,
      String description) {
    this(
        kind,
        outcome,
        file,
        offset,
        bytes,
        lostEdits,
        after,
        before,
        keptIn,
        found,
        List.of(),
        description);
  }

  /** The kinds of damaged places. */
  public enum Kind {
    /** The end of a log that a crash or a power failure cut short: nothing synced is missing. */
    TORN_TAIL,
    /** A log, in a place that had been synced. */
    LOG,
    /** A file of sorted cells. */
    TABLE_FILE,
    /** Any other file of the store. */
    OTHER
  }

  /** The store's response to damage. */
  public enum Outcome {
    /** None: the bad bytes are still in place. */
    IN_PLACE,
    /** The bad bytes were cut off, and the store continues without them. */
    CUT,
    /** The file was set aside, and the store continues with the readable part of its contents. */
    SET_ASIDE
  }
}
