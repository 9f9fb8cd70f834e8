package dev.varve.store;

import dev.varve.model.Bytes;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An optional ability of a table beyond reading and writing. A layout declares the powers it needs;
 * {@link Store#check} verifies them before a table is opened.
 */
public sealed interface Power {
  /** Atomically compares and writes one cell. */
  non-sealed interface ConditionalPut extends Power {
    /**
     * Puts a cell if the newest cell of its column has the expected value. The new cell becomes the
     * newest: if its time is older than that of the cell it replaces, it takes that time.
     *
     * @param expected null if there must be no cell
     * @return whether the cell was put, durably
     * @throws StoreException if the store fails; if {@link StoreException#unknown()}, the put may
     *     have been applied
     */
    boolean putIf(Cell cell, @Nullable Bytes expected);
  }

  /** Atomically adds to an 8-byte big-endian cell. */
  non-sealed interface Increment extends Power {
    /**
     * Adds to the newest cell of a column and writes the sum durably. A missing cell counts as 0.
     * If {@code time} is older than that of the newest cell, the newest cell's time is used. Not
     * idempotent.
     *
     * @return the sum
     * @throws StoreException if the store fails or the cell does not have 8 bytes
     */
    long add(Bytes row, int family, Bytes qualifier, long amount, long time);
  }

  /** Deletes a range of rows at a cost independent of their number. */
  non-sealed interface RangeDelete extends Power {
    /**
     * Deletes all rows from {@code from} (inclusive) to {@code to} (exclusive); null means the end
     * of the table.
     */
    void deleteRows(Bytes from, @Nullable Bytes to);
  }

  /** Gives the space of deleted rows back to the system before the store would do so by itself. */
  non-sealed interface Reclaim extends Power {
    /**
     * Frees the space that deleted and replaced cells of a range of rows still take, in table files
     * and logs. Reads return the same cells as before. May take long, and competes with other work
     * for the disk.
     *
     * @param from the first row
     * @param to the row after the last; null means the end of the table
     * @throws StoreException if the store fails; nothing is lost
     */
    void reclaim(Bytes from, @Nullable Bytes to);
  }

  /** Writes cells that expire. */
  non-sealed interface Expiry extends Power {
    /**
     * Applies a batch like {@link Table#apply}. Its puts expire after {@code lifetime}, or earlier
     * if the whole table has a shorter retention.
     *
     * @param lifetime positive; if it exceeds what the store can represent, the cells never expire
     */
    List<RowOutcome> apply(MutationBatch batch, Durability durability, Duration lifetime);
  }
}
