package dev.varve.store;

import dev.varve.model.Bytes;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a table can do beyond reading and writing. A layout says which it needs; {@link Store#check}
 * answers before a table is opened.
 */
public sealed interface Power {
  /** Atomic comparison and write of one cell. */
  non-sealed interface ConditionalPut extends Power {
    /**
     * Puts a cell if the newest one of its column has the expected value. What was put is the
     * newest then: a time before that of the cell it replaces counts as that one.
     *
     * @param expected null where there must be no cell
     * @return whether it was put, and durably so
     * @throws StoreException if the store fails; with {@link StoreException#unknown()} the put may
     *     or may not stand
     */
    boolean putIf(Cell cell, @Nullable Bytes expected);
  }

  /** Atomic addition to a cell of eight bytes, big-endian. */
  non-sealed interface Increment extends Power {
    /**
     * Adds to the newest cell of a column, a missing one counting as 0, and writes the sum durably.
     * A time before that of the newest cell counts as that one. Not safe to repeat.
     *
     * @return the sum
     * @throws StoreException if the store fails or the cell is not of eight bytes
     */
    long add(Bytes row, int family, Bytes qualifier, long amount, long time);
  }

  /** Deletes whole rows at once, at a cost that does not depend on their number. */
  non-sealed interface RangeDelete extends Power {
    /**
     * Deletes all rows from {@code from} on and before {@code to}; null for the end of the table.
     */
    void deleteRows(Bytes from, @Nullable Bytes to);
  }

  /** Writes cells that end by themselves. */
  non-sealed interface Expiry extends Power {
    /**
     * Applies a batch as {@link Table#apply} does; what it puts is gone when so much time has
     * passed, or earlier where the whole table keeps its cells no longer.
     *
     * @param lifetime positive; one that is longer than the store can count is no end
     */
    List<RowOutcome> apply(MutationBatch batch, Durability durability, Duration lifetime);
  }
}
