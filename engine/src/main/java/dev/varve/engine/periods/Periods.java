package dev.varve.engine.periods;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.blocks.Rescue;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.periods.Period.Storage;
import dev.varve.layout.Layout;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.Attribute;
import dev.varve.model.TimeRange;
import dev.varve.store.Power;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.Upkeep;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The periods of a dataset with their open tables. Blocks may take over the times of earlier
 * periods while the dataset is open ({@link #answerFromBlocks}).
 */
public final class Periods implements AutoCloseable {
  private volatile List<Period> periods;
  private final long stampUnit;
  private final ReadsInProgress reads = new ReadsInProgress();
  private volatile @Nullable LateWrites lateWrites;
  private volatile boolean converting;

  /** The start of a period that another server declared and that this one does not know. */
  private final AtomicLong closedFrom = new AtomicLong(Long.MAX_VALUE);

  private Periods(List<Period> periods, long stampUnit) {
    this.periods = List.copyOf(periods);
    this.stampUnit =
        periods.stream()
            .flatMap(period -> period.layouts().stream())
            .mapToLong(placed -> placed.layout().stampUnit())
            .reduce(stampUnit, Math::max);
  }

  /**
   * The layouts of a period, before they are opened.
   *
   * @param from the start of the period, in the resolution of the dataset
   */
  public record Declared(long from, List<StorageLayout> layouts) {
    public List<Layout> cells() {
      return PeriodConfig.cells(layouts);
    }

    public @Nullable BlockLayout blocks() {
      return PeriodConfig.blocks(layouts);
    }
  }

  /**
   * Returns the reasons why a store cannot serve the tables of a dataset. Called before anything is
   * created.
   */
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
    for (int period = 0; period < declared.size(); period++) {
      BlockLayout blocks = declared.get(period).blocks();
      if (blocks != null) {
        reasons.addAll(check(config, period, blocks, store));
      }
    }
    return reasons;
  }

  private static List<String> check(
      DatasetConfig config, int period, BlockLayout blocks, Store store) {
    String where = "dataset '%s', layout '%s': ".formatted(config.name(), BlockLayout.NAME);
    if (!store.isEmbedded()) {
      return List.of(
          where
              + "it needs a store inside the process, such as rocksdb, not '%s': use 'buckets'"
                  .formatted(store.kind()));
    }
    return tables(config, period, blocks).stream()
        .flatMap(spec -> store.check(spec, blocks.needs()).stream())
        .map(reason -> where + reason)
        .toList();
  }

  /** Returns the tables of blocks under their names in the store. */
  private static List<TableSpec> tables(DatasetConfig config, int period, BlockLayout blocks) {
    String prefix = prefix(config.name(), period, 0);
    return blocks.tables().stream().map(spec -> spec.named(prefix + spec.name())).toList();
  }

  /** Returns whether the data table of any of the layouts already exists. */
  public static boolean exist(DatasetConfig config, List<Declared> declared, Store store) {
    for (int period = 0; period < declared.size(); period++) {
      BlockLayout blocks = declared.get(period).blocks();
      if (blocks != null && store.exists(tables(config, period, blocks).get(BlockLayout.BLOCKS))) {
        return true;
      }
    }
    return placements(config, declared, store).stream()
        .anyMatch(placement -> store.exists(placement.dataTable()));
  }

  /**
   * Checks that existing tables match the declared layouts. Called before anything is created or
   * saved.
   *
   * @throws InvalidConfigException if the tables were created with other parameters, or if
   *     co-writing is not possible
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

  /** Returns the location of the foreign tables to which the dataset is attached. */
  public static String place(DatasetConfig config, List<Declared> declared, Store store) {
    return store.place(placements(config, declared, store).getFirst().dataTable());
  }

  /** Returns the placements of all layouts, period by period, each with its primary first. */
  private static List<Placement> placements(
      DatasetConfig config, List<Declared> declared, Store store) {
    List<Placement> placements = new ArrayList<>();
    for (int period = 0; period < declared.size(); period++) {
      List<Layout> layouts = declared.get(period).cells();
      for (int i = 0; i < layouts.size(); i++) {
        placements.add(placement(config, layouts.get(i), period, i, store));
      }
    }
    return placements;
  }

  /** Attached tables belong to the first primary. The tables of all other layouts are our own. */
  private static Placement placement(
      DatasetConfig config, Layout layout, int period, int place, Store store) {
    Attached attached = config.attached();
    Upkeep upkeep = TableUpkeep.of(layout, store.isEmbedded() ? null : config.retention());
    return attached != null && period == 0 && place == 0
        ? Placement.attached(layout, attached, upkeep)
        : Placement.own(layout, prefix(config.name(), period, place), upkeep);
  }

  /**
   * The inputs of the tiers of blocks.
   *
   * @param numbers of the dataset's series, complete
   * @param stamps source of stamps that rise from batch to batch, also across restarts
   * @param oldestKept returns the time before which samples have expired; {@link Long#MIN_VALUE} if
   *     none ever does
   * @param memory bytes of samples that may be held until they are in blocks
   * @param rescue for tables in which something is damaged
   */
  public record ForBlocks(
      SeriesNumbers numbers,
      LongSupplier stamps,
      LongSupplier oldestKept,
      long memory,
      Rescue rescue) {}

  /**
   * Opens the tables.
   *
   * @param homeUnit the smallest difference between stamps, in microseconds, that the store of the
   *     home preserves
   * @param counted wraps a table so that its reads and writes are counted
   */
  public static Periods open(
      DatasetConfig config,
      List<Declared> declared,
      Store store,
      long homeUnit,
      LongSupplier clock,
      long lookUpCache,
      ForBlocks forBlocks,
      UnaryOperator<Table> counted) {
    int layoutCount = declared.stream().mapToInt(period -> period.layouts().size()).sum();
    List<Period> opened = new ArrayList<>();
    long stampUnit = homeUnit;
    int slot = 0;
    for (int index = 0; index < declared.size(); index++) {
      boolean last = index == declared.size() - 1;
      long to = last ? Long.MAX_VALUE : declared.get(index + 1).from();
      List<PlacedLayout> layouts = new ArrayList<>();
      for (Layout layout : declared.get(index).cells()) {
        Placement placement = placement(config, layout, index, layouts.size(), store);
        PlacedLayout placed =
            PlacedLayout.open(
                placement,
                slot++,
                layouts.isEmpty(),
                store,
                clock,
                lookUpCache / layoutCount,
                counted);
        placed.agree(config.name(), clock);
        layouts.add(placed);
        for (TableSpec spec : placement.tables()) {
          stampUnit = Math.max(stampUnit, store.capabilities(spec).clockStepMicros(spec));
        }
      }
      BlockLayout blocks = declared.get(index).blocks();
      TimeRange times = new TimeRange(declared.get(index).from(), to);
      Storage storage =
          blocks == null
              ? new Storage.Cells(layouts)
              : new Storage.Blocks(
                  open(config, blocks, tables(config, index, blocks), store, forBlocks, counted));
      opened.add(new Period(index, times, times, storage));
    }
    return new Periods(opened, stampUnit);
  }

  private static BlockTiers open(
      DatasetConfig config,
      BlockLayout layout,
      List<TableSpec> specs,
      Store store,
      ForBlocks forBlocks,
      UnaryOperator<Table> counted) {
    long periods = config.periods().stream().filter(period -> period.blocks() != null).count();
    List<Table> tables =
        new ArrayList<>(
            specs.stream().map(spec -> store.open(spec, OpenMode.CREATE_IF_ABSENT)).toList());
    // The rows of the journal are stamps, so their heat shows nothing about keys.
    tables.set(BlockLayout.BLOCKS, counted.apply(tables.get(BlockLayout.BLOCKS)));
    return BlockTiers.open(
        config.name(),
        store,
        tables,
        layout,
        forBlocks.numbers(),
        forBlocks.stamps(),
        forBlocks.oldestKept(),
        forBlocks.memory() / 2 / periods,
        config.journal(),
        forBlocks.rescue());
  }

  /**
   * Returns the prefix of the names of a layout's tables. Except for the first primary, it contains
   * the position of the layout, because two periods may use the same layout with different
   * parameters.
   */
  static String prefix(String dataset, int period, int layout) {
    return period == 0 && layout == 0
        ? dataset + "."
        : "%s.%d-%d.".formatted(dataset, period, layout);
  }

  /** Returns all periods; those whose times another one answers for have empty times. */
  public List<Period> all() {
    return periods;
  }

  /** Returns the periods that hold samples of a range, in the order of time. */
  public List<Period> within(TimeRange times) {
    return periods.stream()
        .filter(period -> period.times().overlaps(times) && !period.times().isEmpty())
        .toList();
  }

  public Period of(long time) {
    List<Period> now = periods;
    int index = now.size() - 1;
    while (index > 0 && !isOf(now.get(index), time)) {
      index--;
    }
    return now.get(index);
  }

  private static boolean isOf(Period period, long time) {
    return time >= period.times().from() && !period.times().isEmpty();
  }

  /** Returns whether the times of a period are still those that it had when it was found. */
  public boolean isCurrent(Period period) {
    return periods.get(period.index()).times().equals(period.times());
  }

  /**
   * Lets the blocks of a period answer for samples of earlier periods, of which they have copies.
   * Nobody may write cells meanwhile.
   *
   * @param blocks index of the period in blocks
   * @param from the first instant for which blocks answer; not after the present one
   */
  public void answerFromBlocks(int blocks, long from) {
    List<Period> moved = new ArrayList<>();
    for (Period period : periods) {
      TimeRange times = period.times();
      if (period.index() == blocks) {
        moved.add(period.answering(new TimeRange(Math.min(times.from(), from), times.to())));
      } else if (period.index() < blocks && times.to() > from) {
        moved.add(period.answering(new TimeRange(Math.min(times.from(), from), from)));
      } else {
        moved.add(period);
      }
    }
    periods = List.copyOf(moved);
  }

  /** Records that the tables of periods with empty times have no samples any more. */
  public void emptied() {
    periods =
        periods.stream()
            .map(period -> period.times().isEmpty() ? period.emptied() : period)
            .toList();
  }

  /** Returns the reads in progress. */
  public ReadsInProgress reads() {
    return reads;
  }

  /** Returns the record of cells written into times that are being copied; null if no times are. */
  public @Nullable LateWrites lateWrites() {
    return lateWrites;
  }

  /** Starts or, with null, ends noting writes of cells. Nobody may write cells meanwhile. */
  public void note(@Nullable LateWrites writes) {
    lateWrites = writes;
  }

  /** Returns whether cells are being converted into blocks, so that none may get an attribute. */
  public boolean isConverting() {
    return converting;
  }

  /** Starts or ends the conversion of cells into blocks. Nobody may write cells meanwhile. */
  public void converting(boolean now) {
    converting = now;
  }

  /** Returns the period of an attribute; one without a time belongs to the last period. */
  public Period of(Attribute attribute) {
    Long time = attribute.time();
    return time == null ? periods.getLast() : of(time);
  }

  /**
   * Records the start of a period that this server does not know.
   *
   * @return whether the start differs from the one recorded before
   */
  public boolean closeFrom(long from) {
    return closedFrom.getAndSet(from) != from;
  }

  /**
   * Returns the first instant for which this server knows no layout; {@link Long#MAX_VALUE} if it
   * knows all layouts.
   */
  public long closedFrom() {
    return closedFrom.get();
  }

  /**
   * Returns the smallest difference between stamps, in microseconds, that every layout and store
   * preserves.
   */
  public long stampUnit() {
    return stampUnit;
  }

  /** Returns the number of layouts of all periods. */
  public int slots() {
    return periods.stream().mapToInt(period -> period.layouts().size()).sum();
  }

  @Override
  public void close() {
    for (Period period : periods) {
      switch (period.storage()) {
        case Storage.Blocks(BlockTiers tiers) -> tiers.close();
        case Storage.Cells(List<PlacedLayout> layouts) -> layouts.forEach(PlacedLayout::close);
      }
    }
  }
}
