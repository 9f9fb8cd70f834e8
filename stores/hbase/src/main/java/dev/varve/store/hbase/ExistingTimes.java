package dev.varve.store.hbase;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.MutationBatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
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
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.jspecify.annotations.Nullable;

/**
 * Reads the times of existing cells, for mutations that delete.
 *
 * <p>HBase's deletes carry a time and hide all cells that are not newer, even those put later. A
 * delete at the time of the newest cell hides the existing cells and no more than necessary.
 */
final class ExistingTimes {
  /** A row arrives in parts of this many cells, so that it is never held completely. */
  private static final int PART_CELLS = 1_000;

  /** The times of the cells of one row, descending, by family and qualifier. */
  static final class OfRow {
    private final Map<Integer, NavigableMap<Bytes, List<Long>>> families = new HashMap<>();
    private final Map<Integer, Long> newest = new HashMap<>();

    /** Families that are deleted completely, for which only the newest time matters. */
    private final Set<Integer> whole;

    private OfRow(Set<Integer> whole) {
      this.whole = whole;
    }

    /** Returns the newest time of a family's cells; -1 if it has none. */
    long newest(int family) {
      return newest.getOrDefault(family, -1L);
    }

    /** Returns the columns of a family, in order. */
    NavigableMap<Bytes, List<Long>> family(int family) {
      return families.computeIfAbsent(family, any -> new TreeMap<>());
    }

    List<Long> column(int family, Bytes qualifier) {
      return family(family).getOrDefault(qualifier, List.of());
    }

    private void add(int family, Cell cell) {
      newest.merge(family, cell.getTimestamp(), Math::max);
      if (whole.contains(family)) {
        return;
      }
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
  private final Map<Mutation, CompletableFuture<OfRow>> asked = new HashMap<>();
  private final Map<Mutation, OfRow> found = new HashMap<>();

  ExistingTimes(HBaseStore store, TableEntry table, MutationBatch batch) {
    this.store = store;
    this.table = table;
    this.batch = batch;
    this.remote = store.cluster().forReads(table.name());
  }

  /** Requests the cells that the mutation may delete. */
  void ask(Mutation mutation) {
    Answer answer = new Answer(new OfRow(wholeFamilies(mutation)));
    remote.scan(scan(mutation), answer);
    asked.put(mutation, answer.done);
    if (asked.size() % store.options().concurrency() == 0) {
      await();
    }
  }

  /** Receives the parts of a row, on threads of the client. */
  private final class Answer implements AdvancedScanResultConsumer {
    private final CompletableFuture<OfRow> done = new CompletableFuture<>();
    private final OfRow row;

    private Answer(OfRow row) {
      this.row = row;
    }

    @Override
    public void onNext(Result[] parts, ScanController controller) {
      CellParts found = new CellParts();
      for (Result part : parts) {
        for (Cell cell : part.rawCells()) {
          found.take(cell);
          int family = table.familyOf(found);
          if (family >= 0) {
            row.add(family, cell);
          }
        }
      }
      if (done.isDone()) {
        // The wait has ended.
        controller.terminate();
      }
    }

    @Override
    public void onError(Throwable error) {
      done.completeExceptionally(error);
    }

    @Override
    public void onComplete() {
      done.complete(row);
    }
  }

  /** Returns the families that a mutation deletes completely without putting anything into them. */
  private Set<Integer> wholeFamilies(Mutation mutation) {
    Set<Integer> whole = new HashSet<>();
    for (int i = mutation.first(); i < mutation.end(); i++) {
      if (batch.edit(i) == MutationBatch.Edit.DELETE_FAMILY) {
        whole.add(batch.cells().family(i));
      } else if (batch.edit(i) == MutationBatch.Edit.DELETE_ROW) {
        for (int any = 0; any < table.familyCount(); any++) {
          whole.add(any);
        }
      }
    }
    for (int i = mutation.first(); i < mutation.end(); i++) {
      if (batch.edit(i) == MutationBatch.Edit.PUT) {
        whole.remove(batch.cells().family(i));
      }
    }
    return whole;
  }

  private Scan scan(Mutation mutation) {
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
    return scan(batch.cells().row(mutation.first()), columns, puts || timed);
  }

  private Scan scan(Bytes row, Map<Integer, @Nullable Set<Bytes>> columns, boolean allVersions) {
    Scan scan =
        new Scan()
            .withStartRow(row.toArray(), true)
            .withStopRow(row.toArray(), true)
            .setFilter(new KeyOnlyFilter())
            .setReadType(Scan.ReadType.PREAD)
            .setBatch(PART_CELLS)
            .setLimit(1);
    columns.forEach((family, some) -> {
      if (some == null) {
        scan.addFamily(table.family(family));
      } else {
        some.forEach(qualifier -> scan.addColumn(table.family(family), qualifier.toArray()));
      }
    });
    return allVersions ? scan.readAllVersions() : scan.readVersions(1);
  }

  /** Waits for all answers; a mutation without an answer gets its outcome here. */
  void await() {
    asked.forEach((mutation, answer) -> {
      try {
        found.put(mutation, store.calls().await(answer));
      } catch (FailedCallException e) {
        // Nothing has been written yet, however the read failed.
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

  OfRow of(Mutation mutation) {
    return found.getOrDefault(mutation, new OfRow(Set.of()));
  }
}
