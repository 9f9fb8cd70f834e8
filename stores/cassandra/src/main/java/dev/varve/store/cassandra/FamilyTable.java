package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.varve.store.CellBatch;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Stores the cells of one family in a table of Cassandra. Edits are passed as indexes into a batch,
 * with their write time.
 */
sealed interface FamilyTable permits LatestTable, VersionsTable, ForeignTable {
  /** Returns the write times for one mutation. */
  WriteTimes times();

  BoundStatement put(CellBatch edits, int edit, long stamp);

  /**
   * Returns whether a row lies within a stretch; false if the read returned more than was asked
   * for.
   */
  default boolean isIn(PartitionRange stretch, Row row) {
    return true;
  }

  /**
   * Reads a stretch: rows in key order, newest cells of a column first; all of it reversed for
   * {@code reverse}.
   *
   * @param cellTimes whether {@link #time} will be called for the rows
   */
  BoundStatement select(
      PartitionRange stretch, boolean reverse, boolean cellTimes, Requests.Wanted wanted);

  /** Returns the row key without its partition. */
  ByteBuffer key(Row row);

  ByteBuffer qualifier(Row row);

  /** Returns the time of a cell; meaningless if the row holds none. */
  long time(Row row);

  /** Returns the value; null if the row holds no cell. */
  @Nullable ByteBuffer value(Row row);
}
