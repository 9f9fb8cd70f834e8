package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;

/** Asks for the rows of one family's table. */
final class RowSource {
  private final Requests requests;
  private final ReadWatch watch;
  private final FamilyTable table;
  private final int pageSize;
  private final ConsistencyLevel level;

  RowSource(Requests requests, ReadWatch watch, FamilyTable table, int pageSize) {
    this.requests = requests;
    this.watch = watch;
    this.table = table;
    this.pageSize = pageSize;
    this.level = DefaultConsistencyLevel.valueOf(requests.options().consistency().read());
  }

  FamilyTable table() {
    return table;
  }

  Pages read(Stretch stretch, boolean reverse) {
    return new Pages(
        requests,
        watch,
        table.select(stretch, reverse).setPageSize(pageSize).setConsistencyLevel(level));
  }
}
