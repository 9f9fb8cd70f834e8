package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import dev.varve.store.MutationBatch.Edit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns a mutation into one statement: all of its edits share a partition, so that Cassandra writes
 * them to its log as one. Edits take effect in their order by their write times.
 */
final class MutationStatements {
  private final Requests requests;
  private final List<? extends FamilyTable> families;
  private final MutationBatch batch;
  private final CellBatch edits;
  private final WriteTimes times;

  /** A column of the row at hand. */
  private record Column(int family, Bytes qualifier) {}

  /** An edit with its step: edits of a later one take effect after those of an earlier. */
  private record Placed(int edit, int step) {}

  MutationStatements(
      Requests requests,
      List<? extends FamilyTable> families,
      WriteTimes times,
      MutationBatch batch) {
    this.requests = requests;
    this.families = families;
    this.times = times;
    this.batch = batch;
    this.edits = batch.cells();
  }

  /** The statement that applies the edits; null where there is nothing to do. */
  @Nullable Statement<?> of(int first, int end) {
    List<BatchableStatement<?>> statements = new ArrayList<>(end - first);
    List<Placed> placed = place(first, end, statements);
    WriteTimes.Stamps stamps = stamps(placed);
    for (Placed one : placed) {
      add(one, stamps, statements);
    }
    if (statements.isEmpty()) {
      return null;
    }
    return statements.size() == 1
        ? statements.getFirst()
        : BatchStatement.newInstance(BatchType.UNLOGGED, statements).setIdempotent(true);
  }

  /**
   * Orders the edits into steps: within one, deletes come before puts, and no column is put twice.
   *
   * @param now takes what is decided by reading and has write times of its own
   */
  private List<Placed> place(int first, int end, List<BatchableStatement<?>> now) {
    List<Placed> placed = new ArrayList<>(end - first);
    Set<Column> put = new HashSet<>();
    int step = 0;
    for (int i = first; i < end; i++) {
      if (batch.edit(i) == Edit.PUT) {
        if (end - first > 1 && !put.add(new Column(edits.family(i), edits.qualifier(i)))) {
          put.clear();
          put.add(new Column(edits.family(i), edits.qualifier(i)));
          step++;
        }
      } else if (isByTime(i)) {
        if (!lastPutHolds(first, i, now)) {
          continue;
        }
        put.clear();
        step++;
      } else if (!put.isEmpty()) {
        put.clear();
        step++;
      }
      placed.add(new Placed(i, step));
    }
    return placed;
  }

  /** Whether the edit deletes the one cell of a column only if its time is in a range. */
  private boolean isByTime(int edit) {
    return batch.edit(edit) == Edit.DELETE_COLUMN
        && !families.get(edits.family(edit)).timed()
        && !batch.deletedTimes(edit).equals(TimeRange.ALL);
  }

  /**
   * Decides a delete by time: whether it deletes what this mutation itself put before. Where it put
   * nothing, the cell that stands is read, and exactly that version of it deleted, so that a put of
   * somebody else meanwhile stays.
   */
  private boolean lastPutHolds(int first, int edit, List<BatchableStatement<?>> now) {
    Map<Column, Long> times = new HashMap<>();
    boolean wiped = false;
    Column column = new Column(edits.family(edit), edits.qualifier(edit));
    for (int i = first; i < edit; i++) {
      switch (batch.edit(i)) {
        case PUT -> {
          if (isOf(column, i)) {
            times.put(column, edits.time(i));
            wiped = false;
          }
        }
        case DELETE_COLUMN -> {
          Long time = times.get(column);
          if (isOf(column, i)
              && (!isByTime(i) || (time != null && batch.deletedTimes(i).contains(time)))) {
            times.clear();
            wiped = true;
          }
        }
        case DELETE_QUALIFIERS -> {
          if (edits.family(i) == column.family
              && column.qualifier.compareTo(edits.qualifier(i)) >= 0
              && column.qualifier.compareTo(edits.value(i)) < 0) {
            times.clear();
            wiped = true;
          }
        }
        case DELETE_FAMILY -> {
          if (edits.family(i) == column.family) {
            times.clear();
            wiped = true;
          }
        }
        case DELETE_ROW -> {
          times.clear();
          wiped = true;
        }
      }
    }
    Long time = times.get(column);
    if (time != null) {
      return batch.deletedTimes(edit).contains(time);
    }
    if (!wiped) {
      deleteStanding(edit, now);
    }
    return false;
  }

  private boolean isOf(Column column, int edit) {
    return edits.family(edit) == column.family && edits.qualifier(edit).equals(column.qualifier);
  }

  private void deleteStanding(int edit, List<BatchableStatement<?>> now) {
    FamilyTable table = families.get(edits.family(edit));
    Row row = requests.execute(table.selectColumn(edits, edit)).one();
    if (row != null
        && table.value(row) != null
        && batch.deletedTimes(edit).contains(table.time(row))) {
      now.add(table.deleteColumn(edits, edit, table.writeTime(row)));
    }
  }

  /** Deletes what stands in a range, one by one. */
  private void deleteEach(
      FamilyTable table, int edit, long stamp, List<BatchableStatement<?>> into) {
    Position from = new Position(Bytes.EMPTY, edits.qualifier(edit));
    Position to = new Position(Bytes.EMPTY, edits.value(edit));
    Stretch range = new Stretch(edits.row(edit), from, to);
    CellBatch found = new CellBatch();
    Pages pages = new Pages(requests, () -> {}, table.select(range, false));
    for (Row row = pages.peek(); row != null; row = pages.peek()) {
      if (table.isIn(range, row)) {
        Bytes qualifier = Buffers.bytes(table.qualifier(row));
        found.add(new Cell(edits.row(edit), 0, qualifier, 0, Bytes.EMPTY));
        into.add(table.deleteColumn(found, found.size() - 1, stamp));
      }
      pages.pop();
    }
  }

  private WriteTimes.Stamps stamps(List<Placed> placed) {
    long firstPut = Long.MAX_VALUE;
    for (Placed one : placed) {
      if (batch.edit(one.edit) == Edit.PUT) {
        firstPut = Math.min(firstPut, edits.time(one.edit));
      }
    }
    return times.next(placed.isEmpty() ? 1 : placed.getLast().step + 1, firstPut);
  }

  private void add(Placed placed, WriteTimes.Stamps stamps, List<BatchableStatement<?>> into) {
    int edit = placed.edit;
    long put = stamps.ofPut(placed.step, edits.time(edit));
    long delete = stamps.ofDelete(placed.step);
    Edit kind = batch.edit(edit);
    if (kind == Edit.DELETE_ROW) {
      families.forEach(table -> into.add(table.deleteRow(edits, edit, delete)));
      return;
    }
    FamilyTable table = families.get(edits.family(edit));
    switch (kind) {
      case PUT -> into.add(table.put(edits, edit, put));
      case DELETE_COLUMN -> {
        TimeRange times = batch.deletedTimes(edit);
        if (times.equals(TimeRange.ALL) || !table.timed()) {
          into.add(table.deleteColumn(edits, edit, delete));
        } else if (times.from() < times.to()) {
          into.add(table.deleteTimes(edits, edit, times, delete));
        }
      }
      case DELETE_QUALIFIERS -> {
        if (edits.qualifier(edit).compareTo(edits.value(edit)) >= 0) {
          return;
        }
        if (table.deletesRanges()) {
          into.add(table.deleteQualifiers(edits, edit, delete));
        } else {
          deleteEach(table, edit, delete, into);
        }
      }
      case DELETE_FAMILY -> into.add(table.deleteRow(edits, edit, delete));
      case DELETE_ROW -> throw new IllegalStateException("handled above");
    }
  }
}
