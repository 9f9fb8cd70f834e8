package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.varve.store.CellBatch;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Stores the cells of one family in a table of Cassandra. Safe for use by several threads. Returned
 * buffers are views of the row: callers that keep them must copy them.
 */
sealed interface FamilyTable permits LatestTable, VersionsTable, ForeignTable {
  /** Returns the write times for one mutation. */
  WriteTimes times();

  /**
   * Returns a statement that writes a cell.
   *
   * @param edit index of the cell in the batch
   * @param stamp write time, in µs since 1970
   */
  BoundStatement put(CellBatch edits, int edit, long stamp);

  /**
   * Returns whether a row lies within a range; false if the read returned rows beside the range.
   */
  default boolean isIn(PartitionRange range, Row row) {
    return true;
  }

  /**
   * Returns a statement that reads a range: rows in key order, newest cells of a column first; all
   * of it reversed for {@code reverse}.
   *
   * @param cellTimes whether {@link #time} will be called for the rows
   */
  BoundStatement select(
      PartitionRange range, boolean reverse, boolean cellTimes, Requests.Wanted wanted);

  /** Returns the row key without its partition. */
  ByteBuffer key(Row row);

  ByteBuffer qualifier(Row row);

  /** Returns the time of a cell, in the unit of the store; meaningless if the row holds none. */
  long time(Row row);

  /** Returns the value; null if the row holds no cell. */
  @Nullable ByteBuffer value(Row row);
}
