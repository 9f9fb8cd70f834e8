package dev.varve.engine.periods;

import dev.varve.layout.Layout;
import dev.varve.model.TimeRange;
import dev.varve.store.Store;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** The periods of a dataset with their open tables. */
public final class Periods implements AutoCloseable {
  private final List<Period> periods;
  private final long[] starts;
  private final long stampUnit;

  private Periods(List<Period> periods) {
    this.periods = List.copyOf(periods);
    this.starts = periods.stream().mapToLong(period -> period.times().from()).toArray();
    this.stampUnit =
        periods.stream()
            .flatMap(period -> period.layouts().stream())
            .mapToLong(placed -> placed.layout().stampUnit())
            .max()
            .orElse(1);
  }

  /**
   * The layouts of a period, before they are opened.
   *
   * @param from its first instant, in the resolution of the dataset
   */
  public record Declared(long from, List<Layout> layouts) {}

  /** Says why the tables of a dataset could not be served by a store, before anything is made. */
  public static List<String> check(String dataset, List<Declared> declared, Store store) {
    List<String> reasons = new ArrayList<>();
    for (int period = 0; period < declared.size(); period++) {
      List<Layout> layouts = declared.get(period).layouts();
      for (int i = 0; i < layouts.size(); i++) {
        for (TableSpec spec : layouts.get(i).tables()) {
          TableSpec named = PlacedLayout.named(spec, prefix(dataset, period, i));
          for (String reason : store.check(named, layouts.get(i).needs())) {
            reasons.add(
                "dataset '%s', layout '%s': %s"
                    .formatted(dataset, layouts.get(i).identity().name(), reason));
          }
        }
      }
    }
    return reasons;
  }

  /** Whether a table of samples of one of the layouts is there already. */
  public static boolean exist(String dataset, List<Declared> declared, Store store) {
    List<String> tables = store.tables();
    for (int period = 0; period < declared.size(); period++) {
      List<Layout> layouts = declared.get(period).layouts();
      for (int i = 0; i < layouts.size(); i++) {
        TableSpec data = layouts.get(i).tables().get(layouts.get(i).dataTable());
        if (tables.contains(prefix(dataset, period, i) + data.name())) {
          return true;
        }
      }
    }
    return false;
  }

  public static Periods open(
      String dataset, List<Declared> declared, Store store, LongSupplier clock) {
    List<Period> opened = new ArrayList<>();
    int slot = 0;
    for (int index = 0; index < declared.size(); index++) {
      boolean last = index == declared.size() - 1;
      long to = last ? Long.MAX_VALUE : declared.get(index + 1).from();
      List<PlacedLayout> layouts = new ArrayList<>();
      for (Layout layout : declared.get(index).layouts()) {
        String prefix = prefix(dataset, index, layouts.size());
        PlacedLayout placed =
            PlacedLayout.open(layout, slot++, layouts.isEmpty(), prefix, store, clock);
        placed.agree(dataset, clock);
        layouts.add(placed);
      }
      opened.add(new Period(index, new TimeRange(declared.get(index).from(), to), layouts));
    }
    return new Periods(opened);
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

  /** The unit of stamps, in microseconds, that every layout can tell from the next. */
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
