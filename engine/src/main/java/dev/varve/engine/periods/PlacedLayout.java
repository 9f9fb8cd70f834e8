package dev.varve.engine.periods;

import dev.varve.layout.Binding;
import dev.varve.layout.Layout;
import dev.varve.layout.Step;
import dev.varve.model.GroupKey;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** A layout at the open tables that it has in a dataset. */
public final class PlacedLayout implements AutoCloseable {
  private final Layout layout;
  private final int slot;
  private final boolean primary;
  private final List<Table> tables;
  private final SettledSteps steps;

  private PlacedLayout(
      Layout layout, int slot, boolean primary, List<Table> tables, LongSupplier clock) {
    this.layout = layout;
    this.slot = slot;
    this.primary = primary;
    this.tables = tables;
    this.steps = new SettledSteps(tables, clock);
  }

  /**
   * Opens the tables of a layout, and makes those that are missing.
   *
   * @param slot the place of the layout among all of the dataset
   * @param primary whether it acknowledges
   * @param prefix goes before the names of the tables
   * @param clock stamps for what the steps of the layout claim
   */
  static PlacedLayout open(
      Layout layout, int slot, boolean primary, String prefix, Store store, LongSupplier clock) {
    List<Table> tables = new ArrayList<>();
    for (TableSpec spec : layout.tables()) {
      tables.add(store.open(named(spec, prefix), Store.OpenMode.CREATE_IF_ABSENT));
    }
    return new PlacedLayout(layout, slot, primary, List.copyOf(tables), clock);
  }

  /** A table as the dataset names it. */
  static TableSpec named(TableSpec spec, String prefix) {
    return new TableSpec(
        prefix + spec.name(), spec.families(), spec.timeUnit(), spec.partitioning());
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
