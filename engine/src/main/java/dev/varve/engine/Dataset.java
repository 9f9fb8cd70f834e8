package dev.varve.engine;

import dev.varve.engine.advice.Advice;
import dev.varve.engine.advice.Advisor;
import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.catalog.CatalogBudget;
import dev.varve.engine.catalog.Matches;
import dev.varve.engine.catalog.SeriesBounds;
import dev.varve.engine.check.CheckRun;
import dev.varve.engine.check.DatasetCheck;
import dev.varve.engine.config.Acknowledgement;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.convert.BlockConversion;
import dev.varve.engine.delete.DeleteJobs;
import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.fill.Fill;
import dev.varve.engine.heat.HeatFinding;
import dev.varve.engine.heat.HeatHistory;
import dev.varve.engine.heat.HeatKeeper;
import dev.varve.engine.heat.HeatMap;
import dev.varve.engine.home.IdentityTable.CatalogState;
import dev.varve.engine.periods.DeleteSupport;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.Period.Storage.Blocks;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.progress.CompactionProgress;
import dev.varve.engine.progress.ConversionProgress;
import dev.varve.engine.progress.DeleteCount;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.progress.FillResult;
import dev.varve.engine.progress.RebuildProgress;
import dev.varve.engine.read.DatasetReader;
import dev.varve.engine.read.RowWalk;
import dev.varve.engine.repair.CatalogRefresh;
import dev.varve.engine.repair.MarkerReplay;
import dev.varve.engine.repair.OtherServers;
import dev.varve.engine.repair.RowCompaction;
import dev.varve.engine.request.PartedRead;
import dev.varve.engine.request.PointExplanation;
import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.request.WriteResult;
import dev.varve.engine.usage.CardinalityDay;
import dev.varve.engine.usage.LoggedQuery;
import dev.varve.engine.usage.QueryCosts;
import dev.varve.engine.usage.QueryKind;
import dev.varve.engine.usage.QueryLog;
import dev.varve.engine.usage.UsageKeeper;
import dev.varve.engine.write.BatchWithin;
import dev.varve.engine.write.Companions;
import dev.varve.engine.write.DatasetWriter;
import dev.varve.engine.write.MetadataWriter;
import dev.varve.engine.write.SampleBatch;
import dev.varve.engine.write.SeriesHandle;
import dev.varve.layout.Domain;
import dev.varve.layout.Layout;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.store.Budget;
import dev.varve.store.ReadCost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A dataset: accepts points and returns runs. Safe for use by several threads. Calls block and are
 * intended for virtual threads.
 */
public final class Dataset implements AutoCloseable {
  private final OpenDataset open;
  private final DatasetWriter writer;
  private final DatasetReader reader;
  private final Catalog catalog;
  private final CatalogBudget catalogs;
  private final @Nullable MarkerReplay markers;

  private final CatalogRefresh refresh;
  private final OtherServers others;
  private final MetadataWriter metadata;
  private final ServiceTexts services;

  /** The texts of clients in the original's table; null if they are among the services' texts. */
  private final @Nullable OriginalTexts originalTexts;

  /** The texts about series in the original's table; null if there is none. */
  private final @Nullable OriginalTexts seriesTexts;

  private final DeleteJobs deletes;
  private final Fill fill;
  private final HeatKeeper heat;
  private final UsageKeeper usage;

  /** Held while cells are converted into blocks. */
  private final ReentrantLock converting;

  /** The series that may be used; null for all. */
  private final @Nullable SeriesBounds bounds;

  /**
   * @param loadedAt minute of the clock from which on changes of other servers are read
   */
  Dataset(OpenDataset open, DatasetShare share, HeatKeeper heat, long loadedAt) {
    this.bounds = null;
    this.open = open;
    this.writer =
        new DatasetWriter(
            open, share.admission(), share.fields(), share.catalogs(), share.seriesCache());
    this.catalogs = share.catalogs();
    catalogs.add(open.index());
    Companions companions = writer.companions();
    this.reader = new DatasetReader(open, companions);
    this.catalog = new Catalog(open, null);
    this.markers =
        companions == null
            ? null
            : new MarkerReplay(open, companions, reader, writer.companionWriter());
    this.refresh = new CatalogRefresh(open);
    this.others = new OtherServers(open, writer, loadedAt);
    this.metadata = new MetadataWriter(open);
    this.services = new ServiceTexts(open);
    this.originalTexts = OriginalTexts.open(open, Layout::texts);
    this.seriesTexts = OriginalTexts.open(open, Layout::seriesTexts);
    this.deletes = new DeleteJobs(open, reader, writer, refresh::isComplete);
    this.fill = new Fill(reader, writer, open.resolution());
    this.heat = heat;
    this.converting = new ReentrantLock();
    LongSupplier millis = () -> open.clock().systemMicros() / 1000;
    this.usage =
        new UsageKeeper(
            open.name(),
            new QueryLog(open.resolution(), share.queryLog(), millis),
            open.home().usage(),
            millis,
            open.clock()::next,
            () -> open.index().cardinality(null, CardinalityDay.NAMES_MAX, ReadGuard.NONE));
  }

  /** Creates a view of a dataset. */
  private Dataset(Dataset whole, SeriesBounds bounds) {
    this.bounds = bounds;
    this.open = whole.open;
    this.writer = whole.writer;
    this.catalogs = whole.catalogs;
    this.reader = whole.reader;
    this.catalog = new Catalog(open, bounds);
    this.markers = whole.markers;
    this.refresh = whole.refresh;
    this.others = whole.others;
    this.metadata = whole.metadata;
    this.services = whole.services;
    this.originalTexts = whole.originalTexts;
    this.seriesTexts = whole.seriesTexts;
    this.deletes = whole.deletes;
    this.fill = whole.fill;
    this.heat = whole.heat;
    this.converting = whole.converting;
    this.usage = whole.usage;
  }

  /**
   * Returns this dataset as a user sees it who may use some series alone. Reads, catalog questions
   * and deletes concern these series, and writes of others are refused sample by sample. What
   * cannot be bound is refused. A view is cheap, shares all state with the dataset, and is equal to
   * other views of it with equal bounds. Closing it does nothing.
   */
  public Dataset within(SeriesBounds bounds) {
    return new Dataset(this, bounds);
  }

  /** Returns whether this is a view for users who may use some series alone. */
  public boolean isBound() {
    return bounds != null;
  }

  private Selector bound(Selector selector) {
    return bounds == null ? selector : bounds.and(selector);
  }

  private ReadRequest bound(ReadRequest request) {
    return bounds == null ? request : request.with(bounds.and(request.selector()));
  }

  /** Refuses what concerns all series to users who may use some alone. */
  private void refuseWithin(String what) {
    if (bounds != null) {
      throw new QueryRefusedException(
          "%s cannot be limited to the series that you may use: %s".formatted(what, bounds.text()));
    }
  }

  /** Starts the background threads. Called last, so that a failed open leaves no thread behind. */
  void start() {
    if (markers != null) {
      markers.start();
    }
    deletes.hold();
    refresh.start();
    others.start();
    for (Period period : open.periods().all()) {
      if (period.storage() instanceof Blocks(BlockTiers blocks)) {
        blocks.start();
      }
    }
    deletes.start();
    heat.start(new HeatHistory(open.home().heat(), open.clock()::next));
    usage.start();
  }

  /** Returns the internal state. */
  OpenDataset opened() {
    return open;
  }

  public String name() {
    return open.name();
  }

  /** Returns the unit of all times. */
  public Resolution resolution() {
    return open.resolution();
  }

  public DatasetConfig config() {
    return open.config();
  }

  /** Returns where samples are when a write returns. */
  public Acknowledgement acknowledgement() {
    boolean journals = open.periods().all().stream().anyMatch(period -> period.isInBlocks());
    return Acknowledgement.of(open.store().syncedTo(), journals, config().journal().sync());
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
    return open.periods().all().stream()
        .allMatch(period ->
            period.isInBlocks()
                ? holds.test(period.domain())
                : period.layouts().stream()
                    .allMatch(layout -> holds.test(layout.layout().domain())));
  }

  /**
   * Writes a batch and returns once all accepted samples are durable.
   *
   * @throws OverloadedException if the engine is overloaded; nothing was written
   * @throws WriteFailedException if a store failed
   */
  public WriteResult write(Batch batch) {
    return writeWithin(batch, writer::write);
  }

  private WriteResult writeWithin(Batch batch, Function<Batch, WriteResult> writing) {
    if (bounds == null) {
      return writing.apply(batch);
    }
    BatchWithin within = new BatchWithin(batch, bounds);
    return within.isEmpty() ? within.ofNothing() : within.with(writing.apply(within.inside()));
  }

  /**
   * Writes the samples of a batch at whose instants the dataset has none, whatever their kind, and
   * compares the batch with what the dataset has then. A sample that is written by {@link #write}
   * before, meanwhile or afterwards is never replaced. Writers wait while the batch is looked up
   * and written, so it should be small.
   *
   * @param batch without attributes
   * @throws QueryRefusedException while the catalog is incomplete
   * @throws OverloadedException if the engine is overloaded; nothing was written
   * @throws WriteFailedException if a store failed
   */
  public FillResult fill(Batch batch) {
    refuseWithoutCatalog();
    if (bounds == null) {
      return fill.run(batch);
    }
    BatchWithin within = new BatchWithin(batch, bounds);
    FillResult result = fill.run(within.inside());
    return new FillResult(within.with(result.written()), result.days());
  }

  /**
   * Compares a batch with what the dataset has at the same instants.
   *
   * @throws QueryRefusedException while the catalog is incomplete
   */
  public List<FillResult.Day> compare(Batch batch) {
    refuseWithoutCatalog();
    refuseOutside(batch);
    return fill.compare(batch);
  }

  private void refuseOutside(Batch batch) {
    if (bounds != null) {
      BatchWithin within = new BatchWithin(batch, bounds);
      if (!within.isWhole()) {
        throw new QueryRefusedException(within.firstRefusal());
      }
    }
  }

  /**
   * Returns a handle by which samples of a series are written without its key; null if they have to
   * be written under the key. Times of such samples are in the resolution of the dataset.
   *
   * @param key as it is stored, with resource identifiers apart from tags
   * @param kind of the samples: a number
   */
  public @Nullable SeriesHandle handle(GroupKey key, String field, Kind kind) {
    return bounds == null || bounds.contains(key, field) ? writer.handle(key, field, kind) : null;
  }

  /**
   * Returns an empty batch for samples by handle; null if the dataset gives no handles.
   *
   * @param growth receives the number of bytes about to be held; an exception from it prevents that
   */
  public @Nullable SampleBatch newSamples(LongConsumer growth) {
    return writer.newSamples(growth);
  }

  /** Like {@link #write(Batch)}, for samples by handle. The batch keeps its samples. */
  public WriteResult write(SampleBatch samples) {
    return writer.write(samples);
  }

  /**
   * Returns a human-readable reason why writes currently fail; null if none is known or if the
   * dataset is read-only. Overload does not count as a reason.
   */
  public @Nullable String writeObstacle() {
    return writer.obstacle();
  }

  /** Returns whether samples can have their own lifetime, after which the store expires them. */
  public boolean endsSamples() {
    return writer.endsSamples();
  }

  /**
   * Writes a batch of samples that expire after a lifetime, for all readers of the tables. Their
   * series remain in the catalog and in indexes.
   *
   * @param lifetime positive; requires {@link #endsSamples()}
   * @throws OverloadedException if the engine is overloaded; nothing was written
   * @throws WriteFailedException if a store failed
   */
  public WriteResult write(Batch batch, Duration lifetime) {
    return writeWithin(batch, inside -> writer.write(inside, lifetime));
  }

  /**
   * Saves metadata of metrics and returns once it is durable. Unset properties keep their earlier
   * values. Does nothing if the dataset is read-only. A bound user describes metrics of which there
   * is a series within the bounds; others are passed over.
   *
   * @throws WriteFailedException if a store failed
   */
  public void describe(Collection<MetricMetadata> metrics) {
    metadata.write(bounds == null ? metrics : metrics.stream().filter(this::isVisible).toList());
  }

  /**
   * Returns the metadata of metrics, from all servers, in the order of their names.
   *
   * @param metric the metric; null for all
   * @param limit maximum number returned
   * @param guard accounts for the memory of the result
   */
  public List<MetricMetadata> metadata(@Nullable String metric, int limit, ReadGuard guard) {
    if (bounds != null && metric == null) {
      return open.home().attributes().all(Integer.MAX_VALUE, guard).stream()
          .filter(this::isVisible)
          .limit(limit)
          .toList();
    }
    List<MetricMetadata> found =
        metric == null
            ? open.home().attributes().all(limit, guard)
            : metric.isEmpty() ? List.of() : open.home().attributes().of(metric);
    return bounds == null ? found : found.stream().filter(this::isVisible).toList();
  }

  /** Returns whether a bound user may use a series of a metric. */
  private boolean isVisible(MetricMetadata metric) {
    return reader
            .match(bound(Selector.metric(metric.metric())), null, Kind.ALL, ReadGuard.NONE)
            .size()
        > 0;
  }

  /**
   * Starts a read.
   *
   * @throws QueryRefusedException if the plan would scan a whole table or exceed its budget
   */
  public RunCursor read(ReadRequest request) {
    return read(request, ReadGuard.NONE);
  }

  /** As above, with a guard. */
  public RunCursor read(ReadRequest request, ReadGuard guard) {
    refuseWithoutCatalog();
    return reader.read(bound(request), guard);
  }

  /**
   * Finds the series of a read that several threads perform in parts.
   *
   * @param request in the order of series
   * @throws QueryRefusedException if the read is refused. A part throws it too if it exceeds the
   *     budget
   */
  public PartedRead readInParts(ReadRequest request) {
    return readInParts(request, ReadGuard.NONE);
  }

  /** As above, with a guard. */
  public PartedRead readInParts(ReadRequest request, ReadGuard guard) {
    refuseWithoutCatalog();
    return reader.inParts(bound(request), guard);
  }

  /**
   * Returns the attributes of the matching series: those without a time and those with a time in
   * range. The stream reads lazily and must be closed.
   *
   * @throws QueryRefusedException as {@link #read}
   */
  public Stream<Attribute> attributes(Selector selector, TimeRange times) {
    return attributes(selector, times, ReadGuard.NONE);
  }

  /** As above, with a guard. */
  public Stream<Attribute> attributes(Selector selector, TimeRange times, ReadGuard guard) {
    refuseWithoutCatalog();
    return reader.attributes(bound(selector), times, guard);
  }

  /**
   * Explains the plan of a read. With {@code analyze} the read is also run, and the explanation
   * includes its actual cost and result size.
   */
  public QueryExplanation explain(ReadRequest request, boolean analyze) {
    return explain(request, analyze, ReadGuard.NONE);
  }

  /** As above, with a guard. */
  public QueryExplanation explain(ReadRequest request, boolean analyze, ReadGuard guard) {
    refuseWithoutCatalog();
    return reader.explain(bound(request), analyze, guard);
  }

  /**
   * Explains the cells that a batch would become. Nothing is written.
   *
   * @throws QueryRefusedException if a layout refuses a point of the batch
   */
  public List<PointExplanation> explain(Batch batch) {
    refuseOutside(batch);
    return writer.explain(batch);
  }

  /**
   * Returns the matching series, in the order of metric, then tags.
   *
   * @param times excludes series whose extent does not overlap the range; null for all series
   * @throws QueryRefusedException if a filter is malformed
   */
  public Stream<Series> series(Selector selector, @Nullable TimeRange times) {
    return series(selector, times, ReadGuard.NONE);
  }

  /** As above, with a guard. */
  public Stream<Series> series(Selector selector, @Nullable TimeRange times, ReadGuard guard) {
    refuseWithoutCatalog();
    Matches matches = reader.match(bound(selector), times, Kind.ALL, guard);
    return matches.inOrder().stream()
        .flatMap(match -> match.fields().stream().map(match.key()::field));
  }

  /**
   * Finds the series that match any of the given selectors.
   *
   * @param times excludes series whose extent does not overlap the range; null for all series
   * @param guard checked periodically, and notified of the number of keys that each selector
   *     matches
   * @throws QueryRefusedException if a filter is malformed
   */
  public SeriesFound find(List<Selector> selectors, @Nullable TimeRange times, ReadGuard guard) {
    return find(selectors, times, Kind.ALL, guard);
  }

  /**
   * Finds the series that match any of the given selectors.
   *
   * @param times excludes series whose extent does not overlap the range; null for all series
   * @param kinds excludes series without samples of these kinds
   * @param guard checked periodically, and notified of the number of keys that each selector
   *     matches
   * @throws QueryRefusedException if a filter is malformed
   */
  public SeriesFound find(
      List<Selector> selectors, @Nullable TimeRange times, Set<Kind> kinds, ReadGuard guard) {
    refuseWithoutCatalog();
    return new SeriesFound(
        selectors.stream()
            .map(selector -> reader.match(bound(selector), times, kinds, guard))
            .toList());
  }

  /** Returns the catalog of metrics, tags and values. */
  public Catalog catalog() {
    return catalog;
  }

  /**
   * Returns the texts that services of a server keep with the dataset.
   *
   * @throws QueryRefusedException to bound users
   */
  public ServiceTexts services() {
    refuseWithin("what services keep with a dataset");
    return services;
  }

  /**
   * Returns the texts that clients keep with the dataset: in the original's table if such tables
   * are attached, else with those of services.
   *
   * @throws QueryRefusedException to bound users
   */
  public NamedTexts clientTexts() {
    refuseWithin("what clients keep with a dataset");
    return originalTexts == null ? services : originalTexts;
  }

  /**
   * Returns the texts about series in the original's table; null unless such a table is attached. A
   * service key is the original's identifier of a series, as hexadecimal digits.
   *
   * @throws QueryRefusedException to bound users
   */
  public @Nullable NamedTexts seriesTexts() {
    refuseWithin("what clients keep with a dataset");
    return seriesTexts;
  }

  /**
   * Returns the numbers of names in the dataset's tables; null if its layout keeps none, or if it
   * has several periods, whose tables need not agree. Null for bound users, too: the tables have
   * names of other series.
   */
  public @Nullable NameTable names() {
    List<Period> periods = open.periods().all();
    if (bounds != null || periods.size() != 1 || periods.getFirst().isInBlocks()) {
      return null;
    }
    PlacedLayout primary = periods.getFirst().primary();
    return primary
        .layout()
        .numbers()
        .map(numbers -> new NameTable(primary, numbers, config().isReadOnly()))
        .orElse(null);
  }

  /**
   * Gives the number of a name another name in the dataset's tables. Its series then have other
   * labels, and all their samples. Writers wait meanwhile.
   *
   * @return what became of it; only {@link NameTable.Renamed.Done} has an effect
   * @throws QueryRefusedException if the dataset has no {@link #names}, is attached read-only or
   *     has companions, if the new name cannot have a number, the catalog is full, or a delete is
   *     not done
   * @throws WriteFailedException if a store failed; the change may be half done and can be repeated
   * @throws CorruptDataException if a table is damaged
   */
  public NameTable.Renamed rename(NameTable.Part part, String old, String name) {
    return NameTable.Renamed.of(nameChange().rename(part.inLayout(), old, name));
  }

  /**
   * Follows a change that {@link #rename} has made through another dataset with the same numbers.
   *
   * @throws QueryRefusedException as {@link #rename}
   * @throws WriteFailedException if a store failed
   */
  public void followRename(NameTable.Part part, String old, String name) {
    nameChange().follow(part.inLayout(), old, name);
  }

  /**
   * Looks the numbers of names up again that are used from now on. Where others write to the
   * tables, a search for series begins as well: it finds those of changed names.
   */
  public void forgetNames() {
    if (names() == null) {
      return;
    }
    writer.forgetNames();
    if (config().attached() != null) {
      PlacedLayout primary = open.periods().all().getFirst().primary();
      NameChange change =
          new NameChange(open, writer, catalogs, primary, primary.layout().numbers().orElseThrow());
      refresh.searchAnew(change::removeUnnamed);
    }
  }

  private NameChange nameChange() {
    NameTable names = names();
    Period period = open.periods().all().getFirst();
    if (names == null || period.hasCompanions()) {
      throw new QueryRefusedException(
          "names of dataset '%s' cannot be changed: its tables have no numbers for them, or several layouts have its series"
              .formatted(name()));
    }
    if (config().isReadOnly()) {
      throw new QueryRefusedException(
          "dataset '%s' is attached read-only, so its names cannot be changed".formatted(name()));
    }
    refuseWithoutCatalog();
    PlacedLayout primary = period.primary();
    return new NameChange(
        open, writer, catalogs, primary, primary.layout().numbers().orElseThrow());
  }

  /**
   * Returns the notes that the original keeps in its table of samples; null unless such tables are
   * attached, as the only ones of the dataset. Null for bound users, too.
   */
  public @Nullable NoteTable notes() {
    List<Period> periods = open.periods().all();
    if (bounds != null || config().attached() == null || periods.size() != 1) {
      return null;
    }
    PlacedLayout primary = periods.getFirst().primary();
    return primary.layout().notes().map(cells -> new NoteTable(open, primary, cells)).orElse(null);
  }

  /** Refuses reads while the catalog is incomplete, because they would return partial results. */
  private void refuseWithoutCatalog() {
    if (!refresh.isComplete()) {
      throw new QueryRefusedException(
          "the catalog of dataset '%s' is being rebuilt from its rows: %,d rows read, %,d series found so far; try again later"
              .formatted(name(), refresh.progress().rows(), refresh.progress().series()));
    }
  }

  /** Returns whether the catalog contains every series. Reads are refused until it does. */
  public boolean isCatalogComplete() {
    return refresh.isComplete();
  }

  /**
   * Finds the series that other programs wrote to the tables of the dataset, by their rows. Waits
   * for a rebuild in progress. Resumes an interrupted rebuild where it stopped.
   *
   * @param progress receives progress from time to time, on the calling thread
   */
  public void rebuildCatalog(Consumer<RebuildProgress> progress) {
    refuseWithin("the rebuild of a catalog");
    refresh.rebuild(progress);
  }

  /**
   * Compacts the rows of series in every layout that supports it. Reads return the same samples
   * from fewer cells. Can be interrupted at any time and run again. Writers wait while rows are
   * rewritten, a few at a time.
   *
   * @param progress receives progress from time to time, on the calling thread
   * @param stopped polled from time to time; true stops the compaction
   * @return the result, which is durable
   * @throws QueryRefusedException if no layout supports compaction, or as {@link #read}
   * @throws WriteFailedException if a store failed
   */
  public CompactionProgress compact(
      ReadRequest request, Consumer<CompactionProgress> progress, BooleanSupplier stopped) {
    if (config().isReadOnly()) {
      throw new QueryRefusedException(
          "dataset '%s' is attached read-only: the rows of foreign tables are not rewritten"
              .formatted(name()));
    }
    refuseWithoutCatalog();
    if (open.periods().all().stream()
        .flatMap(period -> period.layouts().stream())
        .noneMatch(Dataset::compacts)) {
      throw new QueryRefusedException(
          "no layout of dataset '%s' has compacted rows; 'opentsdb' has".formatted(name()));
    }
    List<RowWalk> walks = reader.rows(bound(request), Dataset::compacts);
    try {
      RowCompaction compaction = new RowCompaction(open, writer.tables(), progress, stopped);
      walks.forEach(compaction::run);
      return compaction.end();
    } finally {
      walks.forEach(RowWalk::close);
    }
  }

  /**
   * Converts the cells of all earlier periods into blocks of the last one. Reads return the same
   * samples. Can be interrupted at any time and run again, beside readers and writers.
   *
   * @param progress receives progress from time to time, on the calling thread
   * @param stopped polled from time to time; true ends the conversion
   * @return how far it is, which is durable
   * @throws QueryRefusedException if something would be lost, if the last period is not in blocks
   *     or lies in the future, or if the dataset is being converted already
   * @throws WriteFailedException if a store failed
   */
  public ConversionProgress convertIntoBlocks(
      Consumer<ConversionProgress> progress, BooleanSupplier stopped) {
    refuseWithin("a conversion");
    refuseWithoutCatalog();
    if (!converting.tryLock()) {
      throw new QueryRefusedException(
          "dataset '%s' is being converted into blocks already".formatted(name()));
    }
    try {
      return new BlockConversion(open, reader, writer, progress, stopped).run();
    } finally {
      converting.unlock();
    }
  }

  /**
   * Deletes samples. When this returns, the delete is durable, and reads that begin no longer
   * return samples that matched when it was accepted; samples that are written later remain. A job
   * then removes the samples from all layouts of all periods, whatever the retention. It goes on
   * after a restart.
   *
   * @param selector with at least one filter, so that no one deletes everything by mistake
   * @param times sample times, in the resolution of the dataset
   * @throws QueryRefusedException if the selector is malformed, if the dataset is read-only, or if
   *     a layout on its store cannot delete
   * @throws OverloadedException if too many deletes are not finished
   * @throws dev.varve.store.StoreException if the store fails
   */
  public Deletion delete(Selector selector, TimeRange times) {
    refuseWithoutCatalog();
    DeleteSupport.ensure(open, selector, times);
    Selector wanted = bound(selector);
    DeleteSupport.ensure(open, wanted, times);
    reader.match(wanted, times, Kind.ALL, ReadGuard.NONE);
    return deletes.accept(wanted, times);
  }

  /**
   * Counts what a delete would hide from reads, and deletes nothing.
   *
   * @param guard observes the read of the samples
   * @throws QueryRefusedException as {@link #delete}
   */
  public DeleteCount countDeletable(Selector selector, TimeRange times, ReadGuard guard) {
    refuseWithoutCatalog();
    DeleteSupport.ensure(open, selector, times);
    ReadRequest request =
        new ReadRequest(
            bound(selector),
            times,
            null,
            Versions.LATEST,
            Kinds.EACH,
            Order.SERIES_BY_SERIES,
            0,
            true,
            Budget.UNLIMITED);
    long series = 0;
    long samples = 0;
    Series last = null;
    try (RunCursor runs = reader.read(request, guard)) {
      for (Run run = runs.next(); run != null; run = runs.next()) {
        series += run.series().equals(last) ? 0 : 1;
        samples += run.samples().size();
        last = run.series();
      }
    }
    return new DeleteCount(series, samples);
  }

  /**
   * Returns the heat maps of the dataset's tables.
   *
   * @throws QueryRefusedException to bound users
   */
  public HeatMaps heatMaps() {
    refuseWithin("a heat map");
    return new HeatMaps(open, heat);
  }

  /**
   * Adds a read of a query to the query log.
   *
   * @param series number of matching series
   * @param samples number of samples read
   * @param nanos time from the start of the read to its end
   */
  public void noteQuery(
      QueryKind kind, ReadRequest request, long series, long samples, ReadCost cost, long nanos) {
    usage.log().note(kind, bound(request), QueryCosts.of(series, samples, cost, nanos));
  }

  /**
   * Returns the kinds of queries that all servers have answered, those with the most queries first.
   *
   * @throws QueryRefusedException to bound users
   */
  public List<LoggedQuery> queries() {
    refuseWithin("the query log");
    return usage.queries();
  }

  /**
   * Returns how many series the dataset had, day by day, oldest first.
   *
   * @throws QueryRefusedException to bound users
   */
  public List<CardinalityDay> cardinalityByDay() {
    refuseWithin("the cardinality of days");
    return usage.days();
  }

  /**
   * Advises on the layout of the dataset.
   *
   * @param guard accounts for memory, and ends the work
   * @throws QueryRefusedException to bound users
   */
  public Advice advise(ReadGuard guard) {
    refuseWithin("advice on a layout");
    refuseWithoutCatalog();
    List<HeatFinding> findings = new ArrayList<>();
    boolean counted = false;
    long now = open.clock().systemMicros() / 1000;
    long from = Math.max(0, now - Duration.ofDays(1).toMillis());
    HeatMaps maps = heatMaps();
    for (HeatMaps.MappedTable table : maps.tables()) {
      if (table.data()) {
        HeatMap.Request request = new HeatMap.Request(from, now + 1, Bytes.EMPTY, null, 2, 2);
        HeatMaps.Named map = maps.map(table.name(), request, guard);
        counted |= !map.map().rows().isEmpty();
        findings.addAll(map.findings());
      }
    }
    return new Advisor(open, reader, usage.queries(), findings, counted).advise(guard);
  }

  /** Writes the query log and the cardinality of the day, as happens every minute. */
  void writeUsage() {
    usage.write();
  }

  /** Writes what the key counters counted, as happens every minute. */
  void endHeatSlices() {
    heat.endSlices();
  }

  /**
   * Returns the deletes of this server whose job has not ended, oldest first. Bound users see those
   * whose selector has all filters of their bounds, as their own have.
   */
  public List<Deletion> deletes() {
    return bounds == null
        ? deletes.standing()
        : deletes.standing().stream().filter(one -> bounds.contain(one.selector())).toList();
  }

  /** Rebuilds the catalog even if it is marked as complete. */
  void rebuildCatalogAnew() {
    open.home().identity().catalogState(CatalogState.LOST, open.stamps(1));
    rebuildCatalog(now -> {});
  }

  /**
   * Reads all tables and reports damage.
   *
   * @param removes whether damaged blocks are removed; nobody else may use the dataset then
   */
  DatasetCheck check(CheckRun run, boolean removes) {
    DatasetCheck check = new DatasetCheck(open, run, removes);
    check.run();
    return check;
  }

  /**
   * Moves all samples accepted before from the journals into blocks, and waits for it.
   *
   * @param most after which it returns, though the work goes on
   * @return whether all of them are in blocks
   */
  boolean seal(Duration most) {
    long end = System.nanoTime() + most.toNanos();
    boolean isSealed = true;
    for (Period period : open.periods().all()) {
      if (period.storage() instanceof Blocks(BlockTiers blocks)) {
        isSealed &= blocks.seal(Duration.ofNanos(end - System.nanoTime()));
      }
    }
    return isSealed;
  }

  OpenDataset open() {
    return open;
  }

  private static boolean compacts(PlacedLayout placed) {
    return placed.layout().compaction().isPresent();
  }

  /** Returns metrics of the dataset for operators, by name. */
  Map<String, Double> figures() {
    Map<String, Double> figures = writer.figures();
    for (Period period : open.periods().all()) {
      if (period.storage() instanceof Blocks(BlockTiers blocks)) {
        blocks.figures().forEach((name, value) -> figures.merge(name, value, Double::sum));
      }
    }
    figures.put("catalog_series", (double) open.index().size());
    figures.put("catalog_memory_bytes", (double) open.index().bytes());
    figures.put("catalog_memory_max_bytes", (double) catalogs.max());
    figures.putAll(refresh.figures());
    figures.put("deletes_standing", (double) open.deletes().all().size());
    figures.put("catalog_changes_of_others_total", others.changesRead());
    figures.putAll(heat.figures());
    return figures;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Dataset dataset
            && open.home().equals(dataset.open.home())
            && Objects.equals(bounds, dataset.bounds));
  }

  @Override
  public int hashCode() {
    return Objects.hash(open.home(), bounds);
  }

  @Override
  public void close() {
    if (bounds != null) {
      return;
    }
    refresh.stop();
    others.close();
    if (markers != null) {
      markers.close();
    }
    refresh.close();
    deletes.close();
    writer.close();
    if (originalTexts != null) {
      originalTexts.close();
    }
    if (seriesTexts != null) {
      seriesTexts.close();
    }
    open.periods().close();
    heat.close();
    usage.close();
    open.home().close();
  }
}
