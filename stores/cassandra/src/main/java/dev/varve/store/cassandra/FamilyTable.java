package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.varve.store.CellBatch;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * How the cells of one family stand in a table of Cassandra. Edits come as places in a batch, with
 * the write time that they are to have.
 */
sealed interface FamilyTable permits LatestTable, VersionsTable, ForeignTable {
  /** The write times of one mutation. */
  WriteTimes times();

  BoundStatement put(CellBatch edits, int edit, long stamp);

  /** Whether a row lies within a stretch; false for what was read beside it. */
  default boolean isIn(Stretch stretch, Row row) {
    return true;
  }

  /**
   * Reads a stretch: rows in the order of their keys, newest cells of a column first; all of it
   * turned round for {@code reverse}.
   */
  BoundStatement select(Stretch stretch, boolean reverse, Requests.Wanted wanted);

  /** What is left of the row key behind its partition. */
  ByteBuffer key(Row row);

  ByteBuffer qualifier(Row row);

  /** The time of a cell; of no meaning where the row holds none. */
  long time(Row row);

  /** Null where the row holds no cell. */
  @Nullable ByteBuffer value(Row row);
}
