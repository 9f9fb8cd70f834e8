package dev.varve.engine.periods;

import dev.varve.engine.DatasetConfig;
import dev.varve.engine.DatasetConfig.Attached;
import dev.varve.layout.Layout;
import dev.varve.model.Attribute;
import dev.varve.model.TimeRange;
import dev.varve.store.Power;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.TableSpec;
import dev.varve.store.Upkeep;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** The periods of a dataset with their open tables. */
public final class Periods implements AutoCloseable {
  private final List<Period> periods;
  private final long[] starts;
  private final long stampUnit;

  /** From here on another server knows of a period that this one does not. */
  private final AtomicLong closedFrom = new AtomicLong(Long.MAX_VALUE);

  private Periods(List<Period> periods, long stampUnit) {
    this.periods = List.copyOf(periods);
    this.starts = periods.stream().mapToLong(period -> period.times().from()).toArray();
    this.stampUnit =
        periods.stream()
            .flatMap(period -> period.layouts().stream())
            .mapToLong(placed -> placed.layout().stampUnit())
            .reduce(stampUnit, Math::max);
  }

  /**
   * The layouts of a period, before they are opened.
   *
   * @param from its first instant, in the resolution of the dataset
   */
  public record Declared(long from, List<Layout> layouts) {}

  /** Says why the tables of a dataset could not be served by a store, before anything is made. */
  public static List<String> check(DatasetConfig config, List<Declared> declared, Store store) {
    List<String> reasons = new ArrayList<>();
    for (Placement placement : placements(config, declared, store)) {
      String where =
          "dataset '%s', layout '%s': "
              .formatted(config.name(), placement.layout().identity().name());
      if (placement.isForeign() && !store.exists(placement.dataTable())) {
        reasons.add(
            where
                + "the store has no table '%s' to attach".formatted(placement.dataTable().name()));
        continue;
      }
      Set<Class<? extends Power>> needs =
          placement.mode() == OpenMode.READ_ONLY ? Set.of() : placement.layout().needs();
      for (TableSpec spec : placement.tables()) {
        if (!placement.isForeign() || store.exists(spec)) {
          store.check(spec, needs).forEach(reason -> reasons.add(where + reason));
        }
      }
    }
    return reasons;
  }

  /** Whether a table of samples of one of the layouts is there already. */
  public static boolean exist(DatasetConfig config, List<Declared> declared, Store store) {
    return placements(config, declared, store).stream()
        .anyMatch(placement -> store.exists(placement.dataTable()));
  }

  /**
   * Asks the tables that are there whether they were made with the layouts that are declared,
   * before anything is made or kept of that declaration.
   *
   * @throws InvalidConfigException if they were made with other parameters
   */
  public static void tryOut(DatasetConfig config, List<Declared> declared, Store store) {
    for (Placement placement : placements(config, declared, store)) {
      if (store.exists(placement.dataTable())) {
        try (PlacedLayout placed = PlacedLayout.openAsIs(placement, store)) {
          placed.ask(config.name());
          if (placement.isForeign()) {
            placed.askToWrite(config.name());
          }
        }
      }
    }
  }

  /** Where the tables of another server lie, which the dataset is attached to. */
  public static String place(DatasetConfig config, List<Declared> declared, Store store) {
    return store.place(placements(config, declared, store).getFirst().dataTable());
  }

  /** Of all layouts, period by period, each time the primary first. */
  private static List<Placement> placements(
      DatasetConfig config, List<Declared> declared, Store store) {
    List<Placement> placements = new ArrayList<>();
    for (int period = 0; period < declared.size(); period++) {
      List<Layout> layouts = declared.get(period).layouts();
      for (int i = 0; i < layouts.size(); i++) {
        placements.add(placement(config, layouts.get(i), period, i, store));
      }
    }
    return placements;
  }

  /** Another server's tables are those of the first primary; all others are our own. */
  private static Placement placement(
      DatasetConfig config, Layout layout, int period, int place, Store store) {
    Attached attached = config.attached();
    Upkeep upkeep = TableUpkeep.of(layout, store.isEmbedded() ? null : config.retention());
    return attached != null && period == 0 && place == 0
        ? Placement.attached(layout, attached, upkeep)
        : Placement.own(layout, prefix(config.name(), period, place), upkeep);
  }

  /**
   * Opens the tables.
   *
   * @param homeUnit the unit of stamps, in microseconds, that the store of the home tells apart
   */
  public static Periods open(
      DatasetConfig config,
      List<Declared> declared,
      Store store,
      long homeUnit,
      LongSupplier clock,
      long lookUpCache) {
    int layoutCount = declared.stream().mapToInt(period -> period.layouts().size()).sum();
    List<Period> opened = new ArrayList<>();
    long stampUnit = homeUnit;
    int slot = 0;
    for (int index = 0; index < declared.size(); index++) {
      boolean last = index == declared.size() - 1;
      long to = last ? Long.MAX_VALUE : declared.get(index + 1).from();
      List<PlacedLayout> layouts = new ArrayList<>();
      for (Layout layout : declared.get(index).layouts()) {
        Placement placement = placement(config, layout, index, layouts.size(), store);
        PlacedLayout placed =
            PlacedLayout.open(
                placement, slot++, layouts.isEmpty(), store, clock, lookUpCache / layoutCount);
        placed.agree(config.name(), clock);
        layouts.add(placed);
        for (TableSpec spec : placement.tables()) {
          stampUnit = Math.max(stampUnit, store.capabilities(spec).clockStepMicros(spec));
        }
      }
      opened.add(new Period(index, new TimeRange(declared.get(index).from(), to), layouts));
    }
    return new Periods(opened, stampUnit);
  }

  /**
   * What stands before the names of a layout's tables. Every layout but the first primary has its
   * place in it: the same layout may stand in two periods with other parameters.
   */
  static String prefix(String dataset, int period, int layout) {
    return period == 0 && layout == 0
        ? dataset + "."
        : "%s.%d-%d.".formatted(dataset, period, layout);
  }

  public List<Period> all() {
    return periods;
  }

  public Period of(long time) {
    int index = starts.length - 1;
    while (index > 0 && time < starts[index]) {
      index--;
    }
    return periods.get(index);
  }

  /** Returns the period of an attribute; one without a time belongs to the last period. */
  public Period of(Attribute attribute) {
    Long time = attribute.time();
    return time == null ? periods.getLast() : of(time);
  }

  /**
   * Takes note that a period that this server does not know begins.
   *
   * @return whether that is new
   */
  public boolean closeFrom(long from) {
    return closedFrom.getAndSet(from) != from;
  }

  /** The first instant that this server knows no layout of; {@link Long#MAX_VALUE} for none. */
  public long closedFrom() {
    return closedFrom.get();
  }

  /** The unit of stamps, in microseconds, that every layout and store can tell from the next. */
  public long stampUnit() {
    return stampUnit;
  }

  /** How many layouts there are in all periods. */
  public int slots() {
    return periods.stream().mapToInt(period -> period.layouts().size()).sum();
  }

  @Override
  public void close() {
    periods.forEach(period -> period.layouts().forEach(PlacedLayout::close));
  }
}
