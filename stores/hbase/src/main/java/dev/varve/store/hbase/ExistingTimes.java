package dev.varve.store.hbase;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.MutationBatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.jspecify.annotations.Nullable;

/**
 * The times of the cells that are there, for mutations that delete.
 *
 * <p>HBase's deletes carry a time and hide all that is not newer, also what is put later. One at
 * the time of the newest cell hides what there is and no more than it must.
 */
final class ExistingTimes {
  /** The times of the cells of one row, falling, by family and qualifier. */
  static final class OfRow {
    private final Map<Integer, NavigableMap<Bytes, List<Long>>> families = new HashMap<>();

    /** The columns of a family, in order. */
    NavigableMap<Bytes, List<Long>> family(int family) {
      return families.computeIfAbsent(family, any -> new TreeMap<>());
    }

    List<Long> column(int family, Bytes qualifier) {
      return family(family).getOrDefault(qualifier, List.of());
    }

    private void add(int family, Cell cell) {
      Bytes qualifier =
          Bytes.copyOf(
              cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength());
      family(family).computeIfAbsent(qualifier, any -> new ArrayList<>()).add(cell.getTimestamp());
    }
  }

  private final HBaseStore store;
  private final TableEntry table;
  private final MutationBatch batch;
  private final AsyncTable<AdvancedScanResultConsumer> remote;
  private final Map<Mutation, CompletableFuture<Result>> asked = new HashMap<>();
  private final Map<Mutation, OfRow> found = new HashMap<>();

  ExistingTimes(HBaseStore store, TableEntry table, MutationBatch batch) {
    this.store = store;
    this.table = table;
    this.batch = batch;
    this.remote = store.cluster().forReads(table.name());
  }

  /** Asks for what the mutation may delete. */
  void ask(Mutation mutation) {
    asked.put(mutation, remote.get(get(mutation)));
    if (asked.size() % store.options().concurrency() == 0) {
      await();
    }
  }

  private Get get(Mutation mutation) {
    Map<Integer, @Nullable Set<Bytes>> columns = new HashMap<>();
    boolean puts = false;
    boolean timed = false;
    for (int i = mutation.first(); i < mutation.end(); i++) {
      int family = batch.cells().family(i);
      switch (batch.edit(i)) {
        case PUT -> puts = true;
        case DELETE_COLUMN -> {
          timed |= !batch.deletedTimes(i).equals(TimeRange.ALL) && !table.isLatestOnly(family);
          if (!columns.containsKey(family)) {
            columns.put(family, new TreeSet<>());
          }
          Set<Bytes> some = columns.get(family);
          if (some != null) {
            some.add(batch.cells().qualifier(i));
          }
        }
        case DELETE_QUALIFIERS, DELETE_FAMILY -> columns.put(family, null);
        case DELETE_ROW -> {
          for (int any = 0; any < table.familyCount(); any++) {
            columns.put(any, null);
          }
        }
      }
    }
    return get(batch.cells().row(mutation.first()), columns, puts || timed);
  }

  private Get get(Bytes row, Map<Integer, @Nullable Set<Bytes>> columns, boolean allVersions) {
    Get get = new Get(row.toArray()).setFilter(new KeyOnlyFilter());
    columns.forEach((family, some) -> {
      if (some == null) {
        get.addFamily(table.family(family));
      } else {
        some.forEach(qualifier -> get.addColumn(table.family(family), qualifier.toArray()));
      }
    });
    try {
      return allVersions ? get.readAllVersions() : get.readVersions(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for all answers; a mutation that got none has ended. */
  void await() {
    asked.forEach((mutation, answer) -> {
      try {
        found.put(mutation, times(store.calls().await(answer)));
      } catch (FailedCallException e) {
        // Nothing was written yet, however the question failed.
        Failure.Kind kind =
            e.failure().kind() == Failure.Kind.REFUSED
                ? Failure.Kind.REFUSED
                : Failure.Kind.NOT_APPLIED;
        store.writes().failed(kind);
        mutation.end(Application.outcome(table, kind, e.failure()));
      }
    });
    asked.clear();
  }

  private OfRow times(Result result) {
    OfRow row = new OfRow();
    if (!result.isEmpty()) {
      for (Cell cell : result.rawCells()) {
        int family = table.familyOf(cell);
        if (family >= 0) {
          row.add(family, cell);
        }
      }
    }
    return row;
  }

  OfRow of(Mutation mutation) {
    return found.getOrDefault(mutation, new OfRow());
  }
}
