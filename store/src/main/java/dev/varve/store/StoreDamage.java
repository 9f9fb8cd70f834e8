package dev.varve.store;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Damage that a store has met in one of its files, and what it did about it.
 *
 * @param kind what is damaged
 * @param outcome what became of it
 * @param file the file, as a path
 * @param offset of the first bad byte in it; -1 where it is unknown, as of a file that is missing
 * @param bytes that are unreadable or were cut off; 0 or more
 * @param lostEdits puts and deletes of cells that are missing because of it; -1 where that is
 *     unknown
 * @param after what is missing was written after this time; null where that is unknown
 * @param before what is missing was written before this time; null where that is unknown
 * @param keptIn the folder that holds the damaged file now; null where it was not moved
 * @param found when the store met it
 * @param rows that lie in the damaged place, as far as they are known
 * @param description one sentence for the operator, which names the file and says what is missing
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

  /** Damage of which nobody can tell the rows. */
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

  /** The kind of damage. */
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

  /** The outcome for damaged data. */
  public enum Outcome {
    /** It is still in place. */
    IN_PLACE,
    /** The bad bytes were cut off, and the store goes on without them. */
    CUT,
    /** The file was moved aside, and the store goes on with what could be read of it. */
    SET_ASIDE
  }
}
