package dev.varve.engine.periods;

import dev.varve.engine.CorruptDataException;
import dev.varve.engine.InvalidConfigException;
import dev.varve.layout.Binding;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.Step;
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
import java.util.function.LongSupplier;
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
      Placement placement, int slot, boolean primary, List<Table> tables, LongSupplier clock) {
    this.layout = placement.layout();
    this.mode = placement.mode();
    this.slot = slot;
    this.primary = primary;
    this.tables = tables;
    this.steps = new SettledSteps(tables, clock);
  }

  /**
   * Opens the tables of a layout, and makes those that are missing, unless they are foreign.
   *
   * @param slot the place of the layout among all of the dataset
   * @param primary whether it acknowledges
   * @param clock stamps for what the steps of the layout claim
   */
  static PlacedLayout open(
      Placement placement, int slot, boolean primary, Store store, LongSupplier clock) {
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
    return new PlacedLayout(placement, slot, primary, List.copyOf(tables), clock);
  }

  /**
   * Compares the layout with what its tables say of themselves, and puts there what they lack;
   * nothing where they are only read.
   *
   * @throws InvalidConfigException if they were made with other parameters
   * @throws CorruptDataException if they cannot be read
   */
  void agree(String dataset, LongSupplier clock) {
    String where = "dataset '%s', layout '%s': ".formatted(dataset, name());
    List<Step.TableCell> missing;
    try {
      missing = run(layout.opening());
    } catch (RefusedException e) {
      throw new InvalidConfigException(List.of(where + e.getMessage()));
    } catch (DamagedCellException e) {
      throw new CorruptDataException(where + e.getMessage());
    }
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
              where + "table '%s': %s".formatted(table.spec().name(), outcome.reason()));
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

  /** Forgets what steps have found. */
  public void forget() {
    steps.forget();
  }

  /** Makes a key ready for the layout; empty where it needs what is not there and is not made. */
  public Optional<Binding> bind(GroupKey key, boolean create) {
    return run(layout.bind(key, create));
  }

  /** Makes a key ready as {@link #bind} would, and writes nothing. */
  public Binding rehearse(GroupKey key) {
    return new RehearsedSteps(steps, this)
        .run(layout.bind(key, true))
        .orElseThrow(
            () -> new IllegalStateException("layout '%s' did not bind %s".formatted(name(), key)));
  }

  @Override
  public void close() {
    tables.forEach(Table::close);
  }
}
