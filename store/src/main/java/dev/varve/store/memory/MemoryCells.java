package dev.varve.store.memory;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.Admission;
import dev.varve.store.Capabilities;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.StoreException;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one table. Writers hold the monitor; readers take a snapshot with {@link #now()}
 * without it. A mutation becomes visible as a whole.
 */
final class MemoryCells {
  private final TableSpec spec;
  private final Admission admission;
  private volatile CellTree cells = CellTree.EMPTY;
  private volatile boolean dropped;

  MemoryCells(TableSpec spec, Capabilities capabilities) {
    this.spec = spec;
    this.admission = new Admission(spec, capabilities);
  }

  TableSpec spec() {
    return spec;
  }

  CellTree now() {
    ensureNotDropped();
    return cells;
  }

  synchronized void drop() {
    dropped = true;
    cells = CellTree.EMPTY;
  }

  private void ensureNotDropped() {
    if (dropped) {
      throw new StoreException(droppedReason());
    }
  }

  private String droppedReason() {
    return "table '%s' was dropped".formatted(spec.name());
  }

  /** Applies the batch. The outcomes are empty if all mutations were applied. */
  synchronized List<RowOutcome> apply(MutationBatch batch) {
    List<RowOutcome> outcomes = new ArrayList<>();
    boolean allApplied = true;
    int end;
    for (int first = 0; first < batch.size(); first = end) {
      end = batch.mutationEnd(first);
      String refusal = dropped ? droppedReason() : admission.refusal(batch, first, end);
      if (refusal == null) {
        cells = applied(cells, batch, first, end);
        outcomes.add(RowOutcome.APPLIED);
      } else {
        outcomes.add(new RowOutcome(dropped ? Status.NOT_APPLIED : Status.REJECTED, refusal));
        allApplied = false;
      }
    }
    return allApplied ? List.of() : outcomes;
  }

  synchronized boolean putIf(Cell cell, @Nullable Bytes expected) {
    ensureNotDropped();
    Cell newest = newest(cell.row(), cell.family(), cell.qualifier());
    boolean asExpected =
        expected == null ? newest == null : newest != null && newest.value().equals(expected);
    if (asExpected) {
      put(cell, newest);
    }
    return asExpected;
  }

  synchronized long add(Bytes row, int family, Bytes qualifier, long amount, long time) {
    ensureNotDropped();
    Cell newest = newest(row, family, qualifier);
    if (newest != null && newest.value().length() != Long.BYTES) {
      throw new StoreException(
          "cell %s of row %s has %d bytes, but a counter has 8"
              .formatted(qualifier, row, newest.value().length()));
    }
    long before = newest == null ? 0 : ByteBuffer.wrap(newest.value().toArray()).getLong();
    long sum = before + amount;
    byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(sum).array();
    put(new Cell(row, family, qualifier, time, Bytes.of(value)), newest);
    return sum;
  }

  synchronized void deleteRows(Bytes from, @Nullable Bytes to) {
    ensureNotDropped();
    cells =
        without(cells, CellTree.startOf(from), cell -> to != null && cell.row().compareTo(to) >= 0);
  }

  /** Replaces the newest cell of a column. */
  private void put(Cell cell, @Nullable Cell newest) {
    long time = newest == null ? cell.time() : Math.max(cell.time(), newest.time());
    MutationBatch batch = new MutationBatch();
    batch.put(cell.row(), cell.family(), cell.qualifier(), time, cell.value());
    for (RowOutcome outcome : apply(batch)) {
      throw new StoreException("not written: " + outcome.reason());
    }
  }

  private @Nullable Cell newest(Bytes row, int family, Bytes qualifier) {
    Cell found = cells.atOrAfter(CellTree.position(row, family, qualifier));
    return found != null && inColumn(found, row, family, qualifier) ? found : null;
  }

  private CellTree applied(CellTree before, MutationBatch batch, int first, int end) {
    CellTree after = before;
    for (int i = first; i < end; i++) {
      CellBatch edits = batch.cells();
      Bytes row = edits.row(i);
      int family = edits.family(i);
      Bytes qualifier = edits.qualifier(i);
      after =
          switch (batch.edit(i)) {
            case PUT -> put(after, edits.cell(i));
            case DELETE_COLUMN ->
                withoutColumn(after, row, family, qualifier, batch.deletedTimes(i));
            case DELETE_QUALIFIERS -> {
              Bytes to = edits.value(i);
              yield without(
                  after,
                  CellTree.position(row, family, qualifier),
                  cell -> !inFamily(cell, row, family) || cell.qualifier().compareTo(to) >= 0);
            }
            case DELETE_FAMILY ->
                without(
                    after,
                    CellTree.position(row, family, Bytes.EMPTY),
                    cell -> !inFamily(cell, row, family));
            case DELETE_ROW ->
                without(after, CellTree.startOf(row), cell -> !cell.row().equals(row));
          };
    }
    return after;
  }

  private CellTree put(CellTree before, Cell cell) {
    FamilySpec family = spec.families().get(cell.family());
    if (family.time() == TimeUse.CLOCK && family.maxVersions() == 1) {
      return withoutColumn(before, cell.row(), cell.family(), cell.qualifier(), TimeRange.ALL)
          .with(cell);
    }
    CellTree after = before.with(cell);
    if (family.maxVersions() == FamilySpec.ALL_VERSIONS) {
      return after;
    }
    Cell oldest = cell;
    Cell kept = CellTree.position(cell.row(), cell.family(), cell.qualifier());
    for (int versions = 0; versions <= family.maxVersions(); versions++) {
      kept = after.after(kept);
      if (kept == null || !inColumn(kept, cell.row(), cell.family(), cell.qualifier())) {
        return after;
      }
      oldest = kept;
    }
    return after.without(oldest);
  }

  private static CellTree withoutColumn(
      CellTree before, Bytes row, int family, Bytes qualifier, TimeRange times) {
    CellTree after = before;
    Cell found = before.atOrAfter(CellTree.position(row, family, qualifier));
    while (found != null && inColumn(found, row, family, qualifier)) {
      if (times.contains(found.time())) {
        after = after.without(found);
      }
      found = before.after(found);
    }
    return after;
  }

  private static CellTree without(CellTree before, Cell from, Predicate<Cell> end) {
    CellTree after = before;
    Cell found = before.atOrAfter(from);
    while (found != null && !end.test(found)) {
      after = after.without(found);
      found = before.after(found);
    }
    return after;
  }

  private static boolean inFamily(Cell cell, Bytes row, int family) {
    return cell.family() == family && cell.row().equals(row);
  }

  private static boolean inColumn(Cell cell, Bytes row, int family, Bytes qualifier) {
    return inFamily(cell, row, family) && cell.qualifier().equals(qualifier);
  }
}
