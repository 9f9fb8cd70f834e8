package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import dev.varve.store.MutationBatch.Edit;
import dev.varve.store.cassandra.LatestTable.StoredColumn;
import dev.varve.store.cassandra.NetEdits.Delete;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns a mutation into one statement. All of its edits share a partition, so Cassandra logs them
 * as one write.
 */
final class MutationStatements {
  /** Up to this many columns of a row are deleted one by one, more of them by a range. */
  private static final int EACH_MAX = 100;

  private final Requests requests;
  private final List<? extends FamilyTable> families;
  private final MutationBatch batch;
  private final CellBatch edits;

  MutationStatements(Requests requests, List<? extends FamilyTable> families, MutationBatch batch) {
    this.requests = requests;
    this.families = families;
    this.batch = batch;
    this.edits = batch.cells();
  }

  /**
   * Returns the statement that applies the edits; null if there is nothing to do.
   *
   * @throws IllegalArgumentException if an edit cannot be written
   */
  @Nullable Statement<?> of(int first, int end) {
    List<BatchableStatement<?>> statements = new Mutation(first, end).statements();
    if (statements.isEmpty()) {
      return null;
    }
    return statements.size() == 1
        ? statements.getFirst()
        : BatchStatement.newInstance(BatchType.UNLOGGED, statements).setIdempotent(true);
  }

  /** One mutation, with the write times of its families. */
  private final class Mutation {
    private final NetEdits net;
    private final @Nullable WriteTimes[] times = new WriteTimes[families.size()];
    private final @Nullable Long[] deleteStamps = new Long[families.size()];
    private final List<BatchableStatement<?>> into = new ArrayList<>();

    private Mutation(int first, int end) {
      this.net =
          NetEdits.of(batch, first, end, family -> families.get(family) instanceof VersionsTable);
    }

    private List<BatchableStatement<?>> statements() {
      for (Delete delete : net.deletes()) {
        if (batch.edit(delete.edit()) == Edit.DELETE_ROW) {
          for (int family = 0; family < families.size(); family++) {
            add(delete, family);
          }
        } else {
          add(delete, edits.family(delete.edit()));
        }
      }
      for (int edit : net.puts()) {
        int family = edits.family(edit);
        into.add(families.get(family).put(edits, edit, times(family).ofPut(edits.time(edit))));
      }
      return into;
    }

    private WriteTimes times(int family) {
      WriteTimes known = times[family];
      if (known == null) {
        known = families.get(family).times();
        times[family] = known;
      }
      return known;
    }

    private long deleteStamp(int family) {
      Long known = deleteStamps[family];
      if (known == null) {
        known = times(family).ofDelete(net.firstPut(family));
        deleteStamps[family] = known;
      }
      return known;
    }

    private void add(Delete delete, int family) {
      switch (families.get(family)) {
        case LatestTable table -> deleteStanding(table, delete, family);
        case VersionsTable table -> add(table, delete.edit(), deleteStamp(family));
        case ForeignTable table -> add(table, delete, family);
      }
    }

    private void add(VersionsTable table, int edit, long stamp) {
      switch (batch.edit(edit)) {
        case DELETE_COLUMN -> {
          TimeRange range = batch.deletedTimes(edit);
          if (range.equals(TimeRange.ALL)) {
            into.add(table.deleteColumn(edits, edit, stamp));
          } else if (range.from() < range.to()) {
            into.add(table.deleteTimes(edits, edit, range, stamp));
          }
        }
        case DELETE_QUALIFIERS -> {
          if (!isEmptyRange(edit)) {
            into.add(table.deleteQualifiers(edits, edit, stamp));
          }
        }
        case DELETE_FAMILY, DELETE_ROW -> into.add(table.deleteRow(edits, edit, stamp));
        case PUT -> throw noDelete();
      }
    }

    private boolean isEmptyRange(int edit) {
      return edits.qualifier(edit).compareTo(edits.value(edit)) >= 0;
    }

    private static IllegalStateException noDelete() {
      return new IllegalStateException("a put among the deletes");
    }

    private void add(ForeignTable table, Delete delete, int family) {
      int edit = delete.edit();
      switch (batch.edit(edit)) {
        case DELETE_COLUMN -> {
          if (delete.whole()) {
            into.add(table.deleteColumn(edits, edit, deleteStamp(family)));
            BoundStatement touch = table.touch(edits, edit, deleteStamp(family));
            if (touch != null) {
              into.add(touch);
            }
          } else {
            deleteByTime(table, edit);
          }
        }
        case DELETE_QUALIFIERS -> {
          if (isEmptyRange(edit)) {
            return;
          }
          if (table.isOneBlob()) {
            into.add(table.deleteQualifiers(edits, edit, deleteStamp(family)));
          } else {
            deleteEach(table, edit, deleteStamp(family));
          }
        }
        case DELETE_FAMILY, DELETE_ROW ->
            into.add(table.deleteRow(edits, edit, deleteStamp(family)));
        case PUT -> throw noDelete();
      }
    }

    /**
     * Deletes exactly the cell that exists, so that a concurrent put by another writer survives.
     */
    private void deleteByTime(ForeignTable table, int edit) {
      Row row = requests.execute(table.selectColumn(edits, edit)).one();
      if (row != null
          && table.value(row) != null
          && batch.deletedTimes(edit).contains(table.time(row))) {
        into.add(table.deleteColumn(edits, edit, table.time(row)));
      }
    }

    /** Deletes the columns in a range one by one. */
    private void deleteEach(ForeignTable table, int edit, long stamp) {
      Position from = new Position(Bytes.EMPTY, edits.qualifier(edit));
      Position to = new Position(Bytes.EMPTY, edits.value(edit));
      PartitionRange range = new PartitionRange(edits.row(edit), from, to);
      CellBatch found = new CellBatch();
      Pages pages = Pages.ofAll(requests, table.select(range, false, false, () -> {}));
      for (Row row = pages.peek(); row != null; row = pages.peek()) {
        if (table.isIn(range, row)) {
          Bytes qualifier = Buffers.bytes(table.qualifier(row));
          found.add(new Cell(edits.row(edit), 0, qualifier, 0, Bytes.EMPTY));
          into.add(table.deleteColumn(found, found.size() - 1, stamp));
        }
        pages.pop();
      }
    }

    /**
     * Deletes existing cells, each with its own write time. Later puts have later write times,
     * whatever the clocks say, and remain visible.
     */
    private void deleteStanding(LatestTable table, Delete delete, int family) {
      int edit = delete.edit();
      Bytes from = Bytes.EMPTY;
      Bytes to = null;
      if (batch.edit(edit) == Edit.DELETE_COLUMN) {
        from = edits.qualifier(edit);
        to = from.successor();
      } else if (batch.edit(edit) == Edit.DELETE_QUALIFIERS) {
        from = edits.qualifier(edit);
        to = edits.value(edit);
      }
      PartitionRange range = table.stretch(edits, edit, from, to);
      if (range.isEmpty()) {
        return;
      }
      List<StoredColumn> found = storedColumns(table, range);
      if (!delete.whole()) {
        found.removeIf(column -> !batch.deletedTimes(edit).contains(column.time()));
      }
      long ranged = Long.MIN_VALUE;
      if (found.size() > EACH_MAX) {
        ranged = newest(found);
        ranged = Math.min(ranged, deleteStamp(family));
        into.add(table.deleteRange(edits, edit, from, to, ranged));
      }
      for (StoredColumn column : found) {
        Long decidedAt = column.decidedAt();
        if (decidedAt != null) {
          into.add(table.deleteDecided(edits, edit, column.qualifier(), decidedAt));
        }
        Long putAt = column.putAt();
        // This mutation's own put may have arrived in an earlier attempt; it must not be deleted.
        if (putAt != null && putAt > ranged && !net.puts(family, column.qualifier())) {
          into.add(table.deletePut(edits, edit, column.qualifier(), putAt));
        }
      }
    }

    private List<StoredColumn> storedColumns(LatestTable table, PartitionRange range) {
      List<StoredColumn> found = new ArrayList<>();
      Pages pages = Pages.ofAll(requests, table.selectStanding(range));
      for (Row row = pages.peek(); row != null; row = pages.peek()) {
        found.add(table.storedColumn(row));
        pages.pop();
      }
      return found;
    }
  }

  private static long newest(List<StoredColumn> found) {
    long newest = Long.MIN_VALUE;
    for (StoredColumn column : found) {
      Long putAt = column.putAt();
      newest = putAt == null ? newest : Math.max(newest, putAt);
    }
    return newest;
  }
}
