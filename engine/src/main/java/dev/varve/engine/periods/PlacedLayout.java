package dev.varve.engine.periods;

import dev.varve.engine.CorruptDataException;
import dev.varve.engine.InvalidConfigException;
import dev.varve.layout.Binding;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.Step;
import dev.varve.layout.Steps.Onlooker;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A layout at the open tables that it has in a dataset. */
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
   * Opens the tables of a layout, and makes those that are missing, unless they are foreign.
   *
   * @param slot the place of the layout among all of the dataset
   * @param primary whether it acknowledges
   * @param clock stamps for what the steps of the layout claim
   * @param lookUpCache bytes that what the layout has looked up in its tables may take
   */
  static PlacedLayout open(
      Placement placement,
      int slot,
      boolean primary,
      Store store,
      LongSupplier clock,
      long lookUpCache) {
    List<Table> tables = new ArrayList<>();
    for (TableSpec spec : placement.tables()) {
      if (placement.isForeign() && !store.exists(spec)) {
        LOG.warn(
            "layout '{}': the store has no table '{}', which counts as empty",
            placement.layout().identity().name(),
            spec.name());
        tables.add(new AbsentTable(spec));
      } else {
        tables.add(store.open(spec, placement.mode()));
      }
    }
    return new PlacedLayout(placement, slot, primary, List.copyOf(tables), clock, lookUpCache);
  }

  /** Opens the tables of a layout that are there, to be asked what they say of themselves. */
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
   * Compares the layout with what its tables say of themselves.
   *
   * @return what they lack
   * @throws InvalidConfigException if they were made with other parameters
   * @throws CorruptDataException if they cannot be read
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
   * Looks whether samples can be written beside the server that has made the tables, where that is
   * meant.
   *
   * @throws InvalidConfigException if they cannot
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
   * Compares as {@link #ask} does, and puts there what the tables lack; nothing where they are only
   * read.
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

  /** The place of the layout among all layouts of the dataset. */
  public int slot() {
    return slot;
  }

  /** Whether it is the layout that acknowledges, and no companion. */
  public boolean isPrimary() {
    return primary;
  }

  /** The name of the layout, for messages. */
  public String name() {
    return layout.identity().name();
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

  /** The same while somebody looks on. */
  public <T> T run(Step<T> step, Onlooker onlooker) {
    return steps.run(step, onlooker);
  }

  /** Forgets what steps have found. */
  public void forget() {
    steps.forget();
  }

  /**
   * Finds what the layout needs of a key to read it; empty where that is not there, and so no row.
   *
   * @throws RefusedException if the layout does not take the key
   * @throws DamagedCellException if what is there cannot be used
   */
  public Optional<Binding> find(GroupKey key) {
    return run(layout.bind(key, false));
  }

  /**
   * Makes a key ready to be written.
   *
   * @throws RefusedException if the layout does not take the key, or what its tables hold of it
   *     cannot be used: other keys of a batch are none the worse for that
   */
  public Binding bind(GroupKey key) {
    return bound(key, () -> run(layout.bind(key, true)));
  }

  /** Makes a key ready as {@link #bind} would, and writes nothing. */
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
