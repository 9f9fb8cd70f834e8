package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import java.nio.ByteBuffer;

/** Requests the rows of one family's table. */
final class RowSource {
  private final Requests requests;
  private final ReadWatch watch;
  private final FamilyTable table;
  private final PageSize pageSize;
  private final ConsistencyLevel level;
  private final boolean cellTimes;

  /**
   * @param cellTimes whether to read the times of cells
   */
  RowSource(
      Requests requests, ReadWatch watch, FamilyTable table, PageSize pageSize, boolean cellTimes) {
    this.requests = requests;
    this.watch = watch;
    this.table = table;
    this.pageSize = pageSize;
    this.cellTimes = cellTimes;
    this.level = DefaultConsistencyLevel.valueOf(requests.options().consistency().read());
  }

  FamilyTable table() {
    return table;
  }

  /** Counts a row that was read although it lies outside the requested stretch. */
  void passOver(Row row) {
    ByteBuffer value = table.value(row);
    watch.countBeside(table.qualifier(row).remaining() + (value == null ? 0 : value.remaining()));
  }

  Pages read(PartitionRange stretch, boolean reverse) {
    return new Pages(
        requests,
        watch,
        pageSize,
        table.select(stretch, reverse, cellTimes, watch::ensureWanted).setConsistencyLevel(level));
  }
}
