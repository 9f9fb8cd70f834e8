package dev.varve.engine;

import dev.varve.engine.attach.RowCheck;
import dev.varve.engine.blocks.Rescue;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.error.InvalidConfigException;
import dev.varve.engine.heat.HeatKeeper;
import dev.varve.engine.home.ChangeTable;
import dev.varve.engine.home.ClockTable;
import dev.varve.engine.home.Home;
import dev.varve.engine.home.IdentityTable.Conversion;
import dev.varve.engine.home.IdentityTable.Made;
import dev.varve.engine.home.IdentityTable.NumbersFrom;
import dev.varve.engine.home.StampClock;
import dev.varve.engine.pending.PendingDeletes;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Periods;
import dev.varve.engine.periods.Periods.Declared;
import dev.varve.engine.periods.Periods.ForBlocks;
import dev.varve.engine.periods.Placement;
import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.guardrail.Finding;
import dev.varve.layout.guardrail.Guardrails;
import dev.varve.model.Resolution;
import dev.varve.store.Capabilities;
import dev.varve.store.Store;
import dev.varve.store.TableSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a dataset: checks its declaration against store and home, then loads the catalog and the
 * pending deletes from the home.
 */
final class DatasetOpening {
  private static final Logger LOG = LoggerFactory.getLogger(Dataset.class);

  /** Within this time all servers on a store notice a period that one of them added. */
  private static final Duration SEEN_BY_OTHERS = Duration.ofMinutes(2);

  /**
   * Maximum lead of stamps over the clock if another server must be able to overwrite the cells.
   */
  private static final Duration AHEAD_OF_ANOTHER = Duration.ofSeconds(10);

  private final DatasetConfig config;
  private final Stores.OfDataset stores;
  private final StampClock clock;
  private final DatasetShare share;
  private final Resolution resolution;
  private final List<Declared> declared;
  private final Store store;

  private DatasetOpening(
      DatasetConfig asDeclared, Stores.OfDataset stores, StampClock clock, DatasetShare share) {
    this.config = DefaultLayout.resolve(asDeclared, stores.home());
    this.stores = stores;
    this.clock = clock;
    this.share = share;
    this.resolution = config.periods().getFirst().layouts().getFirst().resolution();
    this.declared = declared(config, resolution);
    this.store = stores.data();
  }

  private static List<Declared> declared(DatasetConfig config, Resolution resolution) {
    List<Declared> declared = new ArrayList<>();
    for (DatasetConfig.PeriodConfig period : config.periods()) {
      declared.add(new Declared(ConfigCheck.time(period.from(), resolution), period.layouts()));
    }
    return declared;
  }

  /**
   * Opens a dataset and starts its background threads.
   *
   * @throws InvalidConfigException if the declaration does not fit the store or the dataset in the
   *     home
   */
  static Dataset open(
      DatasetConfig asDeclared, Stores.OfDataset stores, StampClock clock, DatasetShare share) {
    return new DatasetOpening(asDeclared, stores, clock, share).run();
  }

  private Dataset run() {
    boolean hasRows = check();
    Home home = Home.open(stores.home(), config.name(), stores.server());
    make(home, hasRows);
    SeriesIndex index = new SeriesIndex();
    long loadedAt = ChangeTable.minute(clock.systemMicros());
    home.series().load(index, clock.next());
    NumbersFrom numbers = home.identity().numbersFrom();
    if (numbers != null) {
      index.numbers().reserveBelow(numbers.series(), numbers.metrics());
    }
    HeatKeeper heat = new HeatKeeper(config.name(), () -> clock.systemMicros() / 1000);
    OpenDataset open =
        new OpenDataset(
            config,
            resolution,
            Resolution.MICROSECONDS.instant(home.identity().created()),
            store,
            stores.home(),
            home,
            index,
            periods(home, index, heat),
            clock,
            stores.marks(),
            new PendingDeletes(home.deletes()));
    DatasetParts parts = DatasetParts.of(open, share, heat, loadedAt);
    try {
      parts.start();
    } catch (RuntimeException e) {
      parts.close();
      throw e;
    }
    return new Dataset(parts);
  }

  /** Checks the declaration. Returns whether a table has rows. */
  private boolean check() {
    List<String> reasons = Periods.check(config, declared, store);
    if (!reasons.isEmpty()) {
      throw new InvalidConfigException(reasons);
    }
    askGuardrails();
    refuseToWriteAhead();
    boolean hasRows = Periods.exist(config, declared, store);
    Periods.tryOut(config, declared, store);
    refuseToWriteBesideOtherRows();
    return hasRows;
  }

  /** Compares the declaration with the dataset in the home, and stores added periods. */
  private void make(Home home, boolean hasRows) {
    long lead =
        stores.home().isEmbedded() ? 1 : SEEN_BY_OTHERS.toSeconds() * resolution.perSecond();
    long earliest = Resolution.MICROSECONDS.convert(clock.systemMicros(), resolution) + lead;
    Made asMade = IdentityCheck.declared(config, resolution, declared, store);
    new DatasetMaking(config.name(), home, clock).run(asMade, hasRows, earliest);
  }

  private Periods periods(Home home, SeriesIndex index, HeatKeeper heat) {
    Rescue rescue =
        new Rescue(
            index::extent,
            home.identity().catalogState().complete(),
            JournalRemovals.of(config.name(), index, resolution, share.removals()));
    Periods periods =
        Periods.open(
            config,
            declared,
            store,
            stores.marks().stampUnit(),
            clock::next,
            share.lookUpCache(),
            new ForBlocks(
                index.numbers(),
                stamps(),
                () -> OpenDataset.oldestKept(config, resolution, clock),
                share.heads(),
                rescue),
            heat::counted);
    Conversion conversion = home.identity().conversion();
    if (conversion != null) {
      periods.answerFromBlocks(conversion.period(), conversion.blocksFrom());
      if (conversion.emptied()) {
        periods.emptied();
      }
    }
    return periods;
  }

  /**
   * @throws InvalidConfigException if the dataset co-writes a foreign table whose rows do not fit
   *     the declared layout
   */
  private void refuseToWriteBesideOtherRows() {
    DatasetConfig.Attached attached = config.attached();
    if (attached == null || attached.access() != DatasetConfig.Access.CO_WRITE) {
      return;
    }
    Layout layout = declared.getFirst().cells().getFirst();
    int data = layout.dataTable();
    TableSpec spec =
        layout.tables().get(data).attached(Placement.foreignNames(layout, attached).get(data));
    List<String> reasons = RowCheck.reasons(layout, spec, store);
    if (!reasons.isEmpty()) {
      throw new InvalidConfigException(
          reasons.stream()
              .map(reason -> "dataset '%s': %s".formatted(config.name(), reason))
              .toList());
    }
  }

  /**
   * Refuses to co-write if stamps are ahead of the clock. The other server could neither overwrite
   * nor delete cells with future cell times.
   */
  private void refuseToWriteAhead() {
    long drift = clock.driftMicros();
    if (config.attached() != null
        && !config.isReadOnly()
        && drift > AHEAD_OF_ANOTHER.toMillis() * 1000) {
      throw new InvalidConfigException(
          List.of(
              "dataset '%s' writes to the tables of another server, but earlier stamps are %d s ahead of this machine's clock: check the clock; if it is right, wait that long or start with a new data directory"
                  .formatted(config.name(), drift / 1_000_000)));
    }
  }

  /**
   * Runs the guardrails of the layouts and logs their warnings.
   *
   * @throws InvalidConfigException if a guardrail refuses
   */
  private void askGuardrails() {
    List<String> refusals = new ArrayList<>();
    for (Declared period : declared) {
      for (Layout layout : period.cells()) {
        List<Capabilities> tables = layout.tables().stream().map(store::capabilities).toList();
        List<Finding> findings =
            new ArrayList<>(Guardrails.declaration(layout, config.retention()));
        findings.addAll(Guardrails.opening(layout, store.kind(), tables, config.retention()));
        try {
          for (Finding finding : Guardrails.enforce(layout, findings)) {
            LOG.warn(
                "dataset '{}', layout '{}': {}", config.name(), layout.identity().name(), finding);
          }
        } catch (RefusedException e) {
          refusals.add("dataset '%s': %s".formatted(config.name(), e.getMessage()));
        }
      }
    }
    if (!refusals.isEmpty()) {
      throw new InvalidConfigException(refusals);
    }
  }

  /** Returns a source of stamps that no later process gives again. */
  private LongSupplier stamps() {
    ClockTable marks = stores.marks();
    return () -> {
      long stamp = clock.next();
      marks.reach(stamp, ClockTable.MARK_AHEAD_MICROS);
      return stamp;
    };
  }
}
