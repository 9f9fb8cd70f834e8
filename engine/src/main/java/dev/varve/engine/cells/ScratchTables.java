package dev.varve.engine.cells;

import dev.varve.layout.Layout;
import dev.varve.layout.Step;
import dev.varve.layout.StepRunner;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.SizeLimits;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The tables of a layout in memory, for previews and estimates. For one thread. */
public final class ScratchTables implements AutoCloseable {
  /**
   * The layout itself states what it may write; these tables accept everything that any store
   * accepts.
   */
  private static final SizeLimits NO_LIMITS =
      new SizeLimits(
          Integer.MAX_VALUE,
          Integer.MAX_VALUE,
          Integer.MAX_VALUE,
          Integer.MAX_VALUE,
          Long.MAX_VALUE,
          Long.MAX_VALUE,
          Integer.MAX_VALUE,
          Integer.MAX_VALUE);

  private final Store store = new MemoryStore(NO_LIMITS);
  private final Layout layout;
  private final List<Table> tables = new ArrayList<>();
  private final StepRunner steps;
  private long clock;

  /** Creates the tables, empty. */
  public ScratchTables(Layout layout) {
    this.layout = layout;
    for (TableSpec spec : layout.tables()) {
      tables.add(store.open(spec, Store.OpenMode.CREATE_IF_ABSENT));
    }
    this.steps = new StepRunner(tables, () -> ++clock);
  }

  /** Returns the layout whose tables these are. */
  public Layout layout() {
    return layout;
  }

  /** Runs a step of the layout on the tables. */
  public <T> T run(Step<T> step) {
    return steps.run(step);
  }

  /** Returns ascending times from 1, in place of a server's clock. */
  public long stamps(int count) {
    long first = clock + 1;
    clock += count;
    return first;
  }

  /**
   * Writes the cells that the layout puts into new tables.
   *
   * @throws dev.varve.layout.RefusedException if cells that exist already contradict the layout
   * @throws dev.varve.layout.DamagedCellException if a cell that exists already is damaged
   * @throws IllegalStateException if a cell is refused
   */
  public void open() {
    for (Step.TableCell missing : run(layout.opening())) {
      Cell cell = missing.cell();
      String refused =
          put(
              missing.table(),
              new Cell(cell.row(), cell.family(), cell.qualifier(), stamps(1), cell.value()));
      if (refused != null) {
        throw new IllegalStateException(refused);
      }
    }
  }

  /** Puts a cell. Returns why it was refused; null if it was written. */
  public @Nullable String put(int table, Cell cell) {
    MutationBatch batch = new MutationBatch();
    batch.put(cell.row(), cell.family(), cell.qualifier(), cell.time(), cell.value());
    return apply(table, batch);
  }

  /** Applies a batch. Returns why the first refused row was refused; null if all were written. */
  @Nullable String apply(int table, MutationBatch batch) {
    for (RowOutcome outcome : tables.get(table).apply(batch, Durability.ORDERED)) {
      if (!outcome.applied()) {
        return outcome.reason();
      }
    }
    return null;
  }

  /** Returns the cost of a read. */
  ReadCost cost(int table, ReadPlan plan) {
    CellBatch page = new CellBatch();
    try (CellCursor cursor = tables.get(table).read(plan, null)) {
      while (cursor.next(page)) {
        page.clear();
      }
      return cursor.cost();
    }
  }

  /**
   * Passes on every row of a table as a whole, in the order of keys, with all versions of all
   * cells.
   */
  public void forEachRow(int table, Consumer<CellBatch> action) {
    TableSpec spec = layout.tables().get(table);
    List<FamilySelect> everything =
        IntStream.range(0, spec.families().size()).mapToObj(FamilySelect::all).toList();
    CellBatch page = new CellBatch();
    CellBatch row = new CellBatch();
    try (CellCursor cursor =
        tables
            .get(table)
            .read(ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), everything), null)) {
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          if (!row.isEmpty()
              && !row.row(0).contentEquals(page.bytes(), page.rowOffset(i), page.rowLength(i))) {
            action.accept(row);
            row.clear();
          }
          row.addFrom(page, i);
        }
      }
    }
    if (!row.isEmpty()) {
      action.accept(row);
    }
  }

  /** Passes on every cell of a table in the order of keys, with all versions. */
  public void forEachCell(int table, Consumer<Cell> action) {
    forEachRow(
        table,
        row -> {
          for (int i = 0; i < row.size(); i++) {
            action.accept(row.cell(i));
          }
        });
  }

  @Override
  public void close() {
    store.close();
  }
}
