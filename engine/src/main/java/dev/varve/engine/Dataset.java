package dev.varve.engine;

import dev.varve.engine.attach.RowCheck;
import dev.varve.engine.catalog.CatalogBudget;
import dev.varve.engine.catalog.Matches;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.check.CheckRun;
import dev.varve.engine.check.DatasetCheck;
import dev.varve.engine.home.ChangeTable;
import dev.varve.engine.home.Home;
import dev.varve.engine.home.IdentityTable.CatalogState;
import dev.varve.engine.home.IdentityTable.Made;
import dev.varve.engine.home.StampClock;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Periods;
import dev.varve.engine.periods.Periods.Declared;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.periods.Placement;
import dev.varve.engine.read.DatasetReader;
import dev.varve.engine.read.RowWalk;
import dev.varve.engine.repair.CatalogRefresh;
import dev.varve.engine.repair.MarkerReplay;
import dev.varve.engine.repair.OtherServers;
import dev.varve.engine.repair.RowCompaction;
import dev.varve.engine.write.Companions;
import dev.varve.engine.write.DatasetWriter;
import dev.varve.engine.write.MetadataWriter;
import dev.varve.layout.Domain;
import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.guardrail.Finding;
import dev.varve.layout.guardrail.Guardrails;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.Kind;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities;
import dev.varve.store.Store;
import dev.varve.store.TableSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a server holds under a name: points in, runs out. Safe for use by several threads; calls
 * block, and are meant for virtual threads.
 */
public final class Dataset implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Dataset.class);

  /** Within this time every server on a store knows of a period that one of them has added. */
  private static final Duration SEEN_BY_OTHERS = Duration.ofMinutes(2);

  /** So far the stamps may be ahead of the clock where another server must overwrite them. */
  private static final Duration AHEAD_OF_ANOTHER = Duration.ofSeconds(10);

  private final OpenDataset open;
  private final DatasetWriter writer;
  private final DatasetReader reader;
  private final Catalog catalog;
  private final CatalogBudget catalogs;
  private final @Nullable MarkerReplay markers;

  private final CatalogRefresh refresh;
  private final OtherServers others;
  private final MetadataWriter metadata;

  private Dataset(OpenDataset open, DatasetShare share, long loadedAt) {
    this.open = open;
    this.writer =
        new DatasetWriter(
            open, share.admission(), share.fields(), share.catalogs(), share.seriesCache());
    this.catalogs = share.catalogs();
    catalogs.add(open.index());
    Companions companions = writer.companions();
    this.reader = new DatasetReader(open, companions);
    this.catalog = new Catalog(open);
    this.markers =
        companions == null
            ? null
            : new MarkerReplay(open, companions, reader, writer.companionWriter());
    this.refresh = new CatalogRefresh(open);
    this.others = new OtherServers(open, writer, loadedAt);
    this.metadata = new MetadataWriter(open);
  }

  static Dataset open(
      DatasetConfig config, Stores.OfDataset stores, StampClock clock, DatasetShare share) {
    Resolution resolution = resolution(config);
    List<Declared> declared = declared(config, resolution);
    Store store = stores.data();
    List<String> reasons = Periods.check(config, declared, store);
    if (!reasons.isEmpty()) {
      throw new InvalidConfigException(reasons);
    }
    askGuardrails(config, declared, store);
    refuseToWriteAhead(config, clock);
    boolean hasRows = Periods.exist(config, declared, store);
    Periods.tryOut(config, declared, store);
    refuseToWriteBesideOtherRows(config, declared, store);
    Home home = Home.open(stores.home(), config.name(), stores.server());
    long lead =
        stores.home().isEmbedded() ? 1 : SEEN_BY_OTHERS.toSeconds() * resolution.perSecond();
    long earliest = Resolution.MICROSECONDS.convert(clock.systemMicros(), resolution) + lead;
    Made asMade = IdentityCheck.declared(config, resolution, declared, store);
    new DatasetMaking(config.name(), home, clock).run(asMade, hasRows, earliest);
    SeriesIndex index = new SeriesIndex();
    long loadedAt = ChangeTable.minute(clock.systemMicros());
    home.series().load(index, clock.next());
    Periods periods =
        Periods.open(
            config, declared, store, stores.marks().stampUnit(), clock::next, share.lookUpCache());
    OpenDataset open =
        new OpenDataset(
            config, resolution, store, stores.home(), home, index, periods, clock, stores.marks());
    Dataset dataset = new Dataset(open, share, loadedAt);
    try {
      dataset.start();
    } catch (RuntimeException e) {
      dataset.close();
      throw e;
    }
    return dataset;
  }

  /**
   * @throws InvalidConfigException if another server's table has rows that are not of the layout as
   *     it is declared, and is to be written to
   */
  private static void refuseToWriteBesideOtherRows(
      DatasetConfig config, List<Declared> declared, Store store) {
    DatasetConfig.Attached attached = config.attached();
    if (attached == null || attached.access() != DatasetConfig.Access.CO_WRITE) {
      return;
    }
    Layout layout = declared.getFirst().layouts().getFirst();
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
   * Starts the threads behind the dataset, once nothing can fail any more that they would outlive.
   */
  private void start() {
    if (markers != null) {
      markers.start();
    }
    refresh.start();
    others.start();
  }

  /**
   * Cells that carry a time to come could be neither overwritten nor deleted by the server whose
   * tables they lie in.
   */
  private static void refuseToWriteAhead(DatasetConfig config, StampClock clock) {
    long drift = clock.driftMicros();
    if (config.attached() != null
        && !config.isReadOnly()
        && drift > AHEAD_OF_ANOTHER.toMillis() * 1000) {
      throw new InvalidConfigException(
          List.of(
              "dataset '%s' writes into the tables of another server, and stamps were given that are %d s ahead of this machine's clock: see that the clock is right; if it is, wait so long, or begin with a new data directory"
                  .formatted(config.name(), drift / 1_000_000)));
    }
  }

  /**
   * Tells what the guardrails find of the layouts.
   *
   * @throws InvalidConfigException if one of them refuses
   */
  private static void askGuardrails(DatasetConfig config, List<Declared> declared, Store store) {
    List<String> refusals = new ArrayList<>();
    for (Declared period : declared) {
      for (Layout layout : period.layouts()) {
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

  private static Resolution resolution(DatasetConfig config) {
    return config.periods().getFirst().layouts().getFirst().resolution();
  }

  private static List<Declared> declared(DatasetConfig config, Resolution resolution) {
    List<Declared> declared = new ArrayList<>();
    for (DatasetConfig.PeriodConfig period : config.periods()) {
      declared.add(new Declared(ConfigCheck.time(period.from(), resolution), period.layouts()));
    }
    return declared;
  }

  /** What it consists of. */
  OpenDataset opened() {
    return open;
  }

  public String name() {
    return open.name();
  }

  /** The unit of all times. */
  public Resolution resolution() {
    return open.resolution();
  }

  public DatasetConfig config() {
    return open.config();
  }

  /** Returns whether samples of every period may be of fields other than {@code value}. */
  public boolean holdsFields() {
    return everyDomain(Domain::fields);
  }

  /** Returns whether the staleness markers of Prometheus, a NaN, are preserved in every period. */
  public boolean holdsStaleMarkers() {
    return everyDomain(domain -> domain.numbers() == Domain.Numbers.ALL);
  }

  private boolean everyDomain(Predicate<Domain> holds) {
    return open.layouts().map(layout -> layout.layout().domain()).allMatch(holds);
  }

  /**
   * Writes a batch and returns once what was accepted is durable.
   *
   * @throws OverloadedException if nothing was tried because too much waits
   * @throws WriteFailedException if a store failed
   */
  public WriteResult write(Batch batch) {
    return writer.write(batch);
  }

  /**
   * Why writes cannot succeed at present, in words for the operator; null where nothing is known to
   * be in their way, and where the dataset is only read. That too much waits is no reason.
   */
  public @Nullable String writeObstacle() {
    return writer.obstacle();
  }

  /** Whether samples can be given a lifetime of their own: their store ends them by itself. */
  public boolean endsSamples() {
    return writer.endsSamples();
  }

  /**
   * Writes a batch of samples that end: when so much time has passed they are gone, for whoever
   * reads the tables. What lists their series stays.
   *
   * @param lifetime positive, and only where {@link #endsSamples()}
   * @throws OverloadedException if nothing was tried because too much waits
   * @throws WriteFailedException if a store failed
   */
  public WriteResult write(Batch batch, Duration lifetime) {
    return writer.write(batch, lifetime);
  }

  /**
   * Keeps what is said of metrics and returns once it is durable. What is not said of a metric
   * stays as it was said before. Nothing is kept of tables that are only read.
   *
   * @throws WriteFailedException if a store failed
   */
  public void describe(Collection<MetricMetadata> metrics) {
    metadata.write(metrics);
  }

  /**
   * What has been said of metrics, by name, by whatever server.
   *
   * @param metric whose alone; null for all
   * @param limit of so many at most
   * @param guard counts the memory that the result takes
   */
  public List<MetricMetadata> metadata(@Nullable String metric, int limit, ReadGuard guard) {
    return metric == null
        ? open.home().attributes().all(limit, guard)
        : metric.isEmpty() ? List.of() : open.home().attributes().of(metric);
  }

  /**
   * Starts a read.
   *
   * @throws QueryRefusedException if the plan would scan a whole table, or needs more than it may
   */
  public RunCursor read(ReadRequest request) {
    return read(request, ReadGuard.NONE);
  }

  /** The same, under a guard. */
  public RunCursor read(ReadRequest request, ReadGuard guard) {
    refuseWithoutCatalog();
    return reader.read(request, guard);
  }

  /**
   * Finds the series of a read that is to be made in parts, by several threads.
   *
   * @param request in the order of series
   * @throws QueryRefusedException if it may not be read; each part, too, where it needs more than
   *     it may
   */
  public PartedRead readInParts(ReadRequest request) {
    return readInParts(request, ReadGuard.NONE);
  }

  /** The same, under a guard. */
  public PartedRead readInParts(ReadRequest request, ReadGuard guard) {
    refuseWithoutCatalog();
    return reader.inParts(request, guard);
  }

  /**
   * The attributes of the series that match, those without a time and those with a time in range.
   * The stream reads as it goes on and has to be closed.
   *
   * @throws QueryRefusedException as {@link #read}
   */
  public Stream<Attribute> attributes(Selector selector, TimeRange times) {
    refuseWithoutCatalog();
    return reader.attributes(selector, times);
  }

  /**
   * How a read would go; with {@code analyze} it is also run, and says what was really read and
   * returned.
   */
  public QueryExplanation explain(ReadRequest request, boolean analyze) {
    return explain(request, analyze, ReadGuard.NONE);
  }

  /** The same, under a guard. */
  public QueryExplanation explain(ReadRequest request, boolean analyze, ReadGuard guard) {
    refuseWithoutCatalog();
    return reader.explain(request, analyze, guard);
  }

  /**
   * What a batch would become: every cell, part by part. Nothing is written.
   *
   * @throws QueryRefusedException if a layout refuses something of it
   */
  public List<PointExplanation> explain(Batch batch) {
    return writer.explain(batch);
  }

  /**
   * The series that match, in the order of metric, then tags.
   *
   * @param times leaves out series that surely have no sample in the range; null for all
   * @throws QueryRefusedException if a filter is malformed
   */
  public Stream<Series> series(Selector selector, @Nullable TimeRange times) {
    return series(selector, times, ReadGuard.NONE);
  }

  /** The same, under a guard. */
  public Stream<Series> series(Selector selector, @Nullable TimeRange times, ReadGuard guard) {
    refuseWithoutCatalog();
    Matches matches = reader.match(selector, times, Kind.ALL, guard);
    return matches.inOrder().stream()
        .flatMap(match -> match.fields().stream().map(match.key()::field));
  }

  /**
   * The series that match any of some selectors.
   *
   * @param times leaves out series that surely have no sample in the range; null for all
   * @param guard asked now and then, and told how many keys each selector matches
   * @throws QueryRefusedException if a filter is malformed
   */
  public SeriesFound find(List<Selector> selectors, @Nullable TimeRange times, ReadGuard guard) {
    return find(selectors, times, Kind.ALL, guard);
  }

  /**
   * The series that match any of some selectors.
   *
   * @param times leaves out series that surely have no sample in the range; null for all
   * @param kinds leaves out series of which no sample is of any of these
   * @param guard asked now and then, and told how many keys each selector matches
   * @throws QueryRefusedException if a filter is malformed
   */
  public SeriesFound find(
      List<Selector> selectors, @Nullable TimeRange times, Set<Kind> kinds, ReadGuard guard) {
    refuseWithoutCatalog();
    return new SeriesFound(
        selectors.stream().map(selector -> reader.match(selector, times, kinds, guard)).toList());
  }

  /** Which metrics, tags and values there are. */
  public Catalog catalog() {
    return catalog;
  }

  /** A partial answer is given to nobody who did not ask for one. */
  private void refuseWithoutCatalog() {
    if (!refresh.isComplete()) {
      throw new QueryRefusedException(
          "the catalog of dataset '%s' is being rebuilt from its rows: %,d rows read, %,d series found so far; try again later"
              .formatted(name(), refresh.progress().rows(), refresh.progress().series()));
    }
  }

  /** Whether the catalog holds every series; else reads are refused until it does. */
  public boolean isCatalogComplete() {
    return refresh.isComplete();
  }

  /**
   * Finds the series that others have written into the tables of the dataset, by their rows. Waits
   * for a rebuild that is under way. A rebuild that is interrupted goes on where it stopped.
   *
   * @param progress told now and then, by the thread that calls
   */
  public void rebuildCatalog(Consumer<RebuildProgress> progress) {
    refresh.rebuild(progress);
  }

  /**
   * Compacts the rows of series, in every layout of the dataset that has a form for that: what is
   * read stays the same, in fewer cells. Safe to break off at any time, and to run again. Writers
   * wait while some rows are written anew.
   *
   * @param progress told now and then, by the thread that calls
   * @param stopped asked now and then whether to stop
   * @return what it came to, which is durable
   * @throws QueryRefusedException if no layout has such a form, or as {@link #read}
   * @throws WriteFailedException if a store failed
   */
  public CompactionProgress compact(
      ReadRequest request, Consumer<CompactionProgress> progress, BooleanSupplier stopped) {
    if (config().isReadOnly()) {
      throw new QueryRefusedException(
          "dataset '%s' is attached read-only: its tables are another server's, and their rows are left as they are"
              .formatted(name()));
    }
    refuseWithoutCatalog();
    if (open.periods().all().stream()
        .flatMap(period -> period.layouts().stream())
        .noneMatch(Dataset::compacts)) {
      throw new QueryRefusedException(
          "no layout of dataset '%s' has compacted rows; 'opentsdb' has".formatted(name()));
    }
    List<RowWalk> walks = reader.rows(request, Dataset::compacts);
    try {
      RowCompaction compaction = new RowCompaction(open, writer.tables(), progress, stopped);
      walks.forEach(compaction::run);
      return compaction.end();
    } finally {
      walks.forEach(RowWalk::close);
    }
  }

  /** Has the catalog rebuilt, although it was thought to be complete. */
  void rebuildCatalogAnew() {
    open.home().identity().catalogState(CatalogState.LOST, open.stamps(1));
    rebuildCatalog(now -> {});
  }

  /**
   * Reads all tables and tells what is damaged in them.
   *
   * @return whether the catalog lacks series that have rows
   */
  boolean check(CheckRun run) {
    DatasetCheck check = new DatasetCheck(open, run);
    check.run();
    return check.catalogLacks();
  }

  OpenDataset open() {
    return open;
  }

  private static boolean compacts(PlacedLayout placed) {
    return placed.layout().compaction().isPresent();
  }

  /** Figures by name. */
  Map<String, Double> figures() {
    Map<String, Double> figures = writer.figures();
    figures.put("catalog_series", (double) open.index().size());
    figures.put("catalog_memory_bytes", (double) open.index().bytes());
    figures.put("catalog_memory_max_bytes", (double) catalogs.max());
    figures.putAll(refresh.figures());
    figures.put("catalog_changes_of_others_total", others.changesRead());
    return figures;
  }

  @Override
  public void close() {
    refresh.stop();
    others.close();
    if (markers != null) {
      markers.close();
    }
    refresh.close();
    writer.close();
    open.periods().close();
    open.home().close();
  }
}
