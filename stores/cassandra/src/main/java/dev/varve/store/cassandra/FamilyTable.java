package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import java.nio.ByteBuffer;

/**
 * How the cells of one family stand in a table of Cassandra. Edits come as places in a batch, with
 * the write time that they are to have.
 */
interface FamilyTable {
  /** Whether a column holds many cells, their times being part of Cassandra's key. */
  boolean timed();

  BoundStatement put(CellBatch edits, int edit, long stamp);

  /** Deletes a column, all of its cells. */
  BoundStatement deleteColumn(CellBatch edits, int edit, long stamp);

  /** Deletes the cells of a column within a range of times; for timed tables. */
  BoundStatement deleteTimes(CellBatch edits, int edit, TimeRange times, long stamp);

  BoundStatement deleteQualifiers(CellBatch edits, int edit, long stamp);

  /** Deletes a row. */
  BoundStatement deleteRow(CellBatch edits, int edit, long stamp);

  /** Reads the cell of a column with its write time; for tables that are not timed. */
  BoundStatement selectColumn(CellBatch edits, int edit);

  /** Whether a range of qualifiers can be deleted without knowing what is there. */
  default boolean deletesRanges() {
    return true;
  }

  /** Whether a row lies within a stretch; false for what was read beside it. */
  default boolean isIn(Stretch stretch, Row row) {
    return true;
  }

  /**
   * Reads a stretch: rows in the order of their keys, newest cells of a column first; all of it
   * turned round for {@code reverse}.
   */
  BoundStatement select(Stretch stretch, boolean reverse);

  /** The write time of a cell that {@link #selectColumn} read. */
  long writeTime(Row row);

  /** What is left of the row key behind its partition. */
  ByteBuffer key(Row row);

  ByteBuffer qualifier(Row row);

  long time(Row row);

  /** Null where the row holds no cell. */
  @org.jspecify.annotations.Nullable
  ByteBuffer value(Row row);
}
