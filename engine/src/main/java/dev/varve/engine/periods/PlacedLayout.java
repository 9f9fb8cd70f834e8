package dev.varve.engine.periods;

import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.error.InvalidConfigException;
import dev.varve.layout.Binding;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.Step;
import dev.varve.layout.StepRunner.Onlooker;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.store.Cell;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.RowOutcome;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A layout with its open tables in a dataset. */
public final class PlacedLayout implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PlacedLayout.class);

  private final Layout layout;
  private final OpenMode mode;
  private final int slot;
  private final boolean primary;
  private final List<Table> tables;
  private final SettledSteps steps;

  private PlacedLayout(
      Placement placement,
      int slot,
      boolean primary,
      List<Table> tables,
      LongSupplier clock,
      long lookUpCache) {
    this.layout = placement.layout();
    this.mode = placement.mode();
    this.slot = slot;
    this.primary = primary;
    this.tables = tables;
    this.steps = new SettledSteps(tables, clock, lookUpCache);
  }

  /**
   * Opens the tables of a layout and creates missing ones, unless they are foreign.
   *
   * @param slot the position of the layout among all layouts of the dataset
   * @param primary whether the layout acknowledges writes
   * @param clock source of stamps for cells that the layout's steps claim
   * @param lookUpCache maximum bytes of cached lookups
   * @param counted wraps a table so that its reads and writes are counted
   */
  static PlacedLayout open(
      Placement placement,
      int slot,
      boolean primary,
      Store store,
      LongSupplier clock,
      long lookUpCache,
      UnaryOperator<Table> counted) {
    List<Table> tables = new ArrayList<>();
    for (TableSpec spec : placement.tables()) {
      if (placement.isForeign() && !store.exists(spec)) {
        LOG.warn(
            "layout '{}': the store has no table '{}', which counts as empty",
            placement.layout().identity().name(),
            spec.name());
        tables.add(new AbsentTable(spec));
      } else {
        tables.add(counted.apply(store.open(spec, placement.mode())));
      }
    }
    return new PlacedLayout(placement, slot, primary, List.copyOf(tables), clock, lookUpCache);
  }

  /** Opens the existing tables of a layout to check their parameters. Creates nothing. */
  static PlacedLayout openAsIs(Placement placement, Store store) {
    OpenMode mode = placement.isForeign() ? placement.mode() : OpenMode.READ_ONLY;
    List<Table> tables = new ArrayList<>();
    for (TableSpec spec : placement.tables()) {
      tables.add(store.exists(spec) ? store.open(spec, mode) : new AbsentTable(spec));
    }
    LongSupplier noClock =
        () -> {
          throw new IllegalStateException("nothing is written");
        };
    return new PlacedLayout(placement, 0, true, List.copyOf(tables), noClock, 0);
  }

  /**
   * Compares the layout with the parameters saved in its tables.
   *
   * @return cells that the tables lack
   * @throws InvalidConfigException if the tables were created with other parameters
   * @throws CorruptDataException if the saved parameters cannot be decoded
   */
  List<Step.TableCell> ask(String dataset) {
    String where = where(dataset);
    try {
      return run(layout.opening());
    } catch (RefusedException e) {
      throw new InvalidConfigException(List.of(where + e.getMessage()));
    } catch (DamagedCellException e) {
      throw new CorruptDataException(where + e.getMessage());
    }
  }

  /**
   * Checks that Varve can write alongside the server that owns the tables. Does nothing unless the
   * layout is opened to co-write.
   *
   * @throws InvalidConfigException if co-writing is not possible
   */
  void askToWrite(String dataset) {
    if (mode != OpenMode.READ_WRITE) {
      return;
    }
    Set<Integer> missing = new TreeSet<>();
    for (int table = 0; table < tables.size(); table++) {
      if (tables.get(table) instanceof AbsentTable) {
        missing.add(table);
      }
    }
    List<String> reasons = run(layout.coWriting(missing));
    if (!reasons.isEmpty()) {
      throw new InvalidConfigException(
          reasons.stream().map(reason -> where(dataset) + reason).toList());
    }
  }

  private String where(String dataset) {
    return "dataset '%s', layout '%s': ".formatted(dataset, name());
  }

  /**
   * Compares as {@link #ask} does, then writes the missing cells unless the layout is read-only.
   */
  void agree(String dataset, LongSupplier clock) {
    List<Step.TableCell> missing = ask(dataset);
    if (mode == OpenMode.READ_ONLY) {
      return;
    }
    for (Step.TableCell put : missing) {
      Table table = tables.get(put.table());
      if (table instanceof AbsentTable) {
        continue;
      }
      long time = Resolution.MICROSECONDS.convert(clock.getAsLong(), table.spec().timeUnit());
      Cell cell = put.cell();
      MutationBatch batch = new MutationBatch();
      batch.put(cell.row(), cell.family(), cell.qualifier(), time, cell.value());
      for (RowOutcome outcome : table.apply(batch, Durability.ORDERED)) {
        if (!outcome.applied()) {
          throw new StoreException(
              where(dataset) + "table '%s': %s".formatted(table.spec().name(), outcome.reason()));
        }
      }
    }
  }

  public Layout layout() {
    return layout;
  }

  /** Returns the position of the layout among all layouts of the dataset. */
  public int slot() {
    return slot;
  }

  /** Returns whether this is a primary, not a companion. */
  public boolean isPrimary() {
    return primary;
  }

  /** Returns the name of the layout, for messages. */
  public String name() {
    return layout.identity().name();
  }

  public List<Table> tables() {
    return tables;
  }

  public Table table(int index) {
    return tables.get(index);
  }

  public Table dataTable() {
    return tables.get(layout.dataTable());
  }

  public <T> T run(Step<T> step) {
    return steps.run(step);
  }

  /** Runs a step and reports its reads to an onlooker. */
  public <T> T run(Step<T> step, Onlooker onlooker) {
    return steps.run(step, onlooker);
  }

  /** Clears the cached lookups. */
  public void forget() {
    steps.forget();
  }

  /**
   * Finds the binding of a key for reads; empty if the key has no binding and therefore no rows.
   *
   * @throws RefusedException if the layout cannot hold the key
   * @throws DamagedCellException if cells of the binding cannot be decoded
   */
  public Optional<Binding> find(GroupKey key) {
    return steps.binding(key, () -> layout.bind(key, false));
  }

  /**
   * Finds the binding of a key for reads; empty if the layout has no row of it, or cannot hold it.
   *
   * @throws DamagedCellException if cells of the binding cannot be decoded
   */
  public Optional<Binding> findHeld(GroupKey key) {
    try {
      return find(key);
    } catch (RefusedException e) {
      return Optional.empty();
    }
  }

  /**
   * Prepares a key for writes.
   *
   * @throws RefusedException if the layout cannot hold the key, or if cells of its binding are
   *     damaged. Only this key of a batch is refused then
   */
  public Binding bind(GroupKey key) {
    return bound(key, () -> run(layout.bind(key, true)));
  }

  /** Prepares a key as {@link #bind} would, without writing anything. */
  public Binding rehearse(GroupKey key) {
    return bound(key, () -> new RehearsedSteps(steps, this).run(layout.bind(key, true)));
  }

  private Binding bound(GroupKey key, Supplier<Optional<Binding>> made) {
    try {
      return made.get()
          .orElseThrow(() ->
              new IllegalStateException("layout '%s' did not bind %s".formatted(name(), key)));
    } catch (DamagedCellException e) {
      throw new RefusedException(
          name() + ".damaged", "%s cannot be written: %s".formatted(key, e.getMessage()));
    }
  }

  @Override
  public void close() {
    tables.forEach(Table::close);
  }
}
