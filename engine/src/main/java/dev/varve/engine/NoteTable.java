package dev.varve.engine;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.request.ReadGuard;
import dev.varve.layout.NoteCells;
import dev.varve.layout.RefusedException;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The notes that an original keeps in its table of samples, such as OpenTSDB's annotations: texts
 * about an instant of a series, or of none. Safe for use by several threads.
 */
public final class NoteTable {
  /** Heap bytes of a note in addition to its characters. */
  private static final long NOTE_BYTES = 200;

  private final OpenDataset dataset;
  private final Table table;
  private final NoteCells cells;

  NoteTable(OpenDataset dataset, PlacedLayout layout, NoteCells cells) {
    this.dataset = dataset;
    this.table = layout.dataTable();
    this.cells = cells;
  }

  /** Returns the name of the attribute that a read of samples finds for each note. */
  public String attribute() {
    return cells.attribute();
  }

  /**
   * Returns a note; null if there is none.
   *
   * @param owner the original's identifier of the series; empty for none
   * @param start in the original's unit
   * @throws QueryRefusedException if the table holds no such owner or time
   */
  public @Nullable String get(Bytes owner, long start) {
    NoteCells.Place place = place(owner, start);
    Slice row = row(place.row());
    FamilySelect cell =
        new FamilySelect(
            place.family(), List.of(QualifierRange.exactly(place.qualifier())), TimeRange.ALL, 1);
    List<String> found = read(ReadPlan.of(List.of(row), List.of(cell)), owner, ReadGuard.NONE);
    return found.isEmpty() ? null : found.getFirst();
  }

  private Slice row(Bytes row) {
    byte[] bytes = row.toArray();
    int partition = table.spec().partitioning().prefixLength(bytes, 0, bytes.length);
    return Slice.row(row.slice(0, partition), row);
  }

  private NoteCells.Place place(Bytes owner, long start) {
    requireOwner(owner);
    try {
      return cells.place(owner, start);
    } catch (RefusedException e) {
      throw new QueryRefusedException(String.valueOf(e.getMessage()));
    }
  }

  private void requireOwner(Bytes owner) {
    if (!cells.mayOwn(owner)) {
      throw new QueryRefusedException(
          "%s is no identifier of a series in table '%s'".formatted(owner, table.spec().name()));
    }
  }

  private List<String> read(ReadPlan plan, Bytes owner, ReadGuard guard) {
    List<String> notes = new ArrayList<>();
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        guard.ensureWanted();
        for (int cell = 0; cell < page.size(); cell++) {
          if (cells.isOf(owner, page, cell)) {
            guard.held(NOTE_BYTES + 2L * page.valueLength(cell), "notes");
            notes.add(page.value(cell).toUtf8());
          }
        }
      }
    }
    return notes;
  }

  /**
   * Stores a note if the stored one is as expected, and returns once it is durable.
   *
   * @param expected null if there must be none
   * @return whether the note was stored
   * @throws QueryRefusedException if nothing may be written, or the table holds no such owner or
   *     time
   * @throws WriteFailedException if the store failed
   */
  public boolean putIf(Bytes owner, long start, @Nullable String expected, String text) {
    NoteCells.Place place = place(owner, start);
    refuseToWrite();
    long time = Resolution.MICROSECONDS.convert(dataset.stamps(1), table.spec().timeUnit());
    Cell cell = new Cell(place.row(), place.family(), place.qualifier(), time, Bytes.utf8(text));
    Power.ConditionalPut power = table.power(Power.ConditionalPut.class).orElse(null);
    try {
      if (power != null) {
        return power.putIf(cell, expected == null ? null : Bytes.utf8(expected));
      }
      if (!Objects.equals(get(owner, start), expected)) {
        return false;
      }
      MutationBatch edits = new MutationBatch();
      edits.put(cell.row(), cell.family(), cell.qualifier(), time, cell.value());
      apply(edits);
      return true;
    } catch (StoreException e) {
      throw failed(e);
    }
  }

  /**
   * Deletes a note and returns once that is durable. Does nothing if there is none.
   *
   * @throws QueryRefusedException as {@link #putIf}
   * @throws WriteFailedException if the store failed
   */
  public void delete(Bytes owner, long start) {
    NoteCells.Place place = place(owner, start);
    refuseToWrite();
    MutationBatch edits = new MutationBatch();
    edits.deleteColumn(place.row(), place.family(), place.qualifier(), TimeRange.ALL);
    try {
      apply(edits);
    } catch (StoreException e) {
      throw failed(e);
    }
  }

  /**
   * Returns the notes of an owner in the hours of a range, in no particular order.
   *
   * @param from in milliseconds since 1970, inclusive
   * @param to in milliseconds since 1970, exclusive
   * @param guard accounts for their memory
   * @throws QueryRefusedException if the table holds no such owner
   */
  public List<String> between(Bytes owner, long from, long to, ReadGuard guard) {
    requireOwner(owner);
    return from >= to ? List.of() : read(cells.between(owner, from, to), owner, guard);
  }

  private void refuseToWrite() {
    if (dataset.config().isReadOnly()) {
      throw new QueryRefusedException(
          "dataset '%s' is attached read-only, so its notes cannot be changed"
              .formatted(dataset.name()));
    }
  }

  private void apply(MutationBatch edits) {
    for (RowOutcome outcome : table.apply(edits, Durability.SYNCED)) {
      if (!outcome.applied()) {
        throw new WriteFailedException(
            "table '%s' cannot be written: %s".formatted(table.spec().name(), outcome.reason()),
            outcome.status() == RowOutcome.Status.UNKNOWN);
      }
    }
  }

  private WriteFailedException failed(StoreException e) {
    return new WriteFailedException(
        "table '%s' cannot be written: %s".formatted(table.spec().name(), e.getMessage()),
        e.unknown());
  }
}
