package dev.varve.engine.write;

import dev.varve.engine.catalog.CatalogBudget;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.config.FieldLimits;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.request.PointExplanation;
import dev.varve.engine.request.WriteResult;
import dev.varve.engine.tables.Applier;
import dev.varve.engine.write.KnownSeries.KeyState;
import dev.varve.layout.Refusal;
import dev.varve.model.Batch;
import dev.varve.model.Bytes;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.SampleGroup;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The entry of writes into a dataset: it admits batches, counts them, and knows why writes fail.
 * Safe for use by several threads.
 */
public final class DatasetWriter implements AutoCloseable {
  private final OpenDataset dataset;
  private final BatchBudget admission;
  private final SeriesCache series;
  private final TableWriters tables;
  private final IndexCells index;
  private final @Nullable Companions companions;
  private final WriteJob.Path path;
  private final WriteOutage outage;

  private final WriteStop stopped = new WriteStop();
  private final LongAdder batches = new LongAdder();
  private final LongAdder accepted = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder failed = new LongAdder();

  /**
   * Creates the writer of a dataset.
   *
   * @param seriesCache bytes that cached series may take; at most 256 MiB are used
   */
  public DatasetWriter(
      OpenDataset dataset,
      BatchBudget admission,
      FieldLimits fieldLimits,
      CatalogBudget catalogs,
      long seriesCache) {
    this.dataset = dataset;
    this.admission = admission;
    this.series = new SeriesCache(dataset, seriesCache);
    this.tables = new TableWriters(dataset);
    this.index = new IndexCells(dataset, tables);
    Applier home = homeApplier(dataset.home().series().table());
    this.companions =
        dataset.periods().all().stream().anyMatch(Period::hasCompanions)
            ? new Companions(
                dataset.home().markers(), homeApplier(dataset.home().markers().table()))
            : null;
    CellDestination cells =
        new CellDestination(dataset, series, tables, index, home, companions, stopped);
    BlockDestination blocks = new BlockDestination(dataset, home, tables.writing());
    this.path = new WriteJob.Path(dataset, series, fieldLimits, catalogs, cells, blocks);
    this.outage = new WriteOutage(dataset.name(), this::probe, System::nanoTime);
  }

  private Applier homeApplier(Table table) {
    Store store = dataset.homeStore();
    return new Applier(table, store.capabilities(table.spec()).limits());
  }

  /**
   * Writes a batch.
   *
   * @throws OverloadedException if too much is waiting to be written; nothing was written
   * @throws WriteFailedException if a store failed
   */
  public WriteResult write(Batch batch) {
    return write(batch, null);
  }

  /**
   * Returns whether samples can have a lifetime: the store of every layout expires cells, and no
   * layout is a companion, because repair cannot see when the cells of a primary expire.
   */
  public boolean endsSamples() {
    return companions == null
        && dataset.periods().all().stream().allMatch(period -> !period.isInBlocks())
        && dataset
            .layouts()
            .allMatch(layout -> layout.dataTable().power(Power.Expiry.class).isPresent());
  }

  /**
   * Writes a batch of samples that expire.
   *
   * @param lifetime null for samples that do not expire; otherwise {@link #endsSamples()} holds
   * @throws OverloadedException if too much is waiting to be written; nothing was written
   * @throws WriteFailedException if a store failed
   */
  public WriteResult write(Batch batch, @Nullable Duration lifetime) {
    if (dataset.config().isReadOnly()) {
      WriteResult nothing = refuseAll(batch);
      refused.add(nothing.refused());
      return nothing;
    }
    return admitted(bytes(batch), () -> new WriteJob(path, batch, lifetime, 0).run());
  }

  /**
   * Writes samples at instants that have none yet. No other write runs between the lookup and the
   * write. Both use stamps that are taken before the lookup, so samples that another server on the
   * same store accepts meanwhile have higher ones.
   *
   * @param present returns for each column of a group the indexes that are left out
   * @throws OverloadedException if too much is waiting to be written; nothing was written
   * @throws WriteFailedException if a store failed
   */
  public WriteResult writeAlone(Batch batch, Function<SampleGroup, List<BitSet>> present) {
    if (dataset.config().isReadOnly()) {
      WriteResult nothing = refuseAll(batch);
      refused.add(nothing.refused());
      return nothing;
    }
    return admitted(
        bytes(batch),
        () ->
            alone(() -> {
              long stamp = dataset.stamps(WriteJob.stamps(batch, dataset));
              Batch rest = without(batch, present);
              return rest.groups().isEmpty()
                  ? new WriteResult(0, 0, List.of(), Map.of())
                  : new WriteJob(path, rest, null, stamp).run();
            }));
  }

  private static Batch without(Batch batch, Function<SampleGroup, List<BitSet>> present) {
    List<SampleGroup> rest = new ArrayList<>(batch.groups().size());
    for (SampleGroup group : batch.groups()) {
      SampleGroup absent = SampleSelection.without(group, present.apply(group));
      if (absent != null) {
        rest.add(absent);
      }
    }
    return new Batch(rest, List.of());
  }

  /** Writes something if there is room for it, and counts the outcome. */
  private WriteResult admitted(long bytes, Supplier<WriteResult> write) {
    if (stopped.reason() != null) {
      failed.increment();
    }
    stopped.ensureNone();
    int room = admission.enter(bytes);
    try {
      WriteResult result = write.get();
      batches.increment();
      if (result.accepted() > 0) {
        outage.succeeded();
      }
      accepted.add(result.accepted());
      refused.add(result.refused());
      return result;
    } catch (WriteFailedException e) {
      failed.increment();
      outage.failed(String.valueOf(e.getMessage()));
      throw e;
    } catch (StoreException e) {
      failed.increment();
      outage.failed(String.valueOf(e.getMessage()));
      throw new WriteFailedException(
          "dataset '%s' cannot be written: %s".formatted(dataset.name(), e.getMessage()),
          e.unknown());
    } finally {
      admission.leave(room);
    }
  }

  /**
   * Returns a handle of a field of a key, as it is stored; null if its samples have to be written
   * under the key: the newest period is not stored in blocks, or the catalog does not durably know
   * the series as one of that kind.
   *
   * @param kind of the samples: a number
   */
  public @Nullable SeriesHandle handle(GroupKey key, String field, Kind kind) {
    if (!newest().isInBlocks()) {
      return null;
    }
    KnownSeries found = series.find(key);
    if (found == null) {
      // A write under the key is refused with the reason.
      return null;
    }
    SeriesIndex catalog = dataset.index();
    KeyState state = found.state(catalog);
    int number =
        state.series() < 0 || !state.has(field, kind)
            ? SeriesNumbers.NONE
            : catalog.numbers().find(state.series(), field);
    // If a key was removed meanwhile, the number may be later than the extent.
    if (number == SeriesNumbers.NONE || catalog.removals() != state.removals()) {
      return null;
    }
    TimeRange extent = state.extent();
    return new SeriesHandle(
        number, state.series(), kind, extent.from(), extent.to(), state.removals());
  }

  /**
   * Records that a caller keeps the handle of a field. With the handle of the last field, it has no
   * further use for the cached key, which is evicted.
   *
   * @param key as it is stored
   */
  public void handleKept(GroupKey key, String field, Kind kind) {
    series.forgetAfterLast(key, field, kind);
  }

  /**
   * Returns an empty batch for samples of the newest period; null if that is not stored in blocks.
   *
   * @param growth receives the number of bytes about to be held; an exception from it prevents that
   */
  public @Nullable SampleBatch newSamples(LongConsumer growth) {
    Period period = newest();
    if (!period.isInBlocks() || dataset.config().isReadOnly()) {
      return null;
    }
    long oldest = Math.max(dataset.oldestKept(), period.times().from());
    return new SampleBatch(period.tiers(), dataset.index(), oldest, dataset.firstRefused(), growth);
  }

  private Period newest() {
    return dataset.periods().all().getLast();
  }

  /**
   * Writes samples of known series.
   *
   * @throws OverloadedException if too much is waiting to be written; nothing was written
   * @throws WriteFailedException if a store failed
   */
  public WriteResult write(SampleBatch samples) {
    return admitted(
        samples.byteCount(),
        () -> {
          if (!writeByNumber(samples)) {
            return new WriteJob(path, samples.byKey(), null, 0).run();
          }
          samples.forEach(dataset.index()::count);
          return new WriteResult(samples.sampleCount(), 0, List.of(), Map.of());
        });
  }

  /** Writes samples of known series; false if the catalog has removed one of them meanwhile. */
  private boolean writeByNumber(SampleBatch samples) {
    tables.writing().lock();
    try {
      if (!samples.isInCatalog()) {
        return false;
      }
      samples.tiers().write(samples.columns());
      return true;
    } finally {
      tables.writing().unlock();
    }
  }

  private WriteResult refuseAll(Batch batch) {
    Refusal refusal =
        new Refusal(
            "attach.read-only",
            "dataset '%s' is attached read-only: nothing is written to foreign tables"
                .formatted(dataset.name()));
    RefusedSamples tally = new RefusedSamples();
    batch
        .groups()
        .forEach(group -> tally.refuse(group.sampleCount(), group.key(), null, null, refusal));
    batch
        .attributes()
        .forEach(attribute ->
            tally.refuse(1, attribute.key(), attribute.name(), attribute.time(), refusal));
    return tally.result(batch.sampleCount() + batch.attributes().size());
  }

  /** Estimates the memory of a batch and its cells, in bytes. */
  private static long bytes(Batch batch) {
    long bytes = 0;
    for (SampleGroup group : batch.groups()) {
      bytes += 200 + 8L * group.size();
      for (Column column : group.columns()) {
        bytes += 40L * group.size();
        bytes += column instanceof Column.Texts texts ? 2L * texts.bytes().length : 0;
      }
    }
    return bytes + 400L * batch.attributes().size();
  }

  /**
   * Returns the cells that a batch would become, in every layout of its periods. Writes nothing.
   *
   * @throws QueryRefusedException if a layout refuses part of it
   */
  public List<PointExplanation> explain(Batch batch) {
    return new PointExplainer(dataset, series).explain(batch);
  }

  /**
   * Returns why writes cannot succeed at present, for the operator; null if nothing is known to
   * prevent them, or if the dataset is read-only.
   */
  public @Nullable String obstacle() {
    if (dataset.config().isReadOnly()) {
      return null;
    }
    String reason = stopped.reason();
    if (reason == null) {
      reason = dataset.store().writeObstacle();
    }
    if (reason == null) {
      reason = dataset.homeStore().writeObstacle();
    }
    return reason == null ? outage.reason() : reason;
  }

  /** Tests whether the stores work: with a write to our own store, with a read of a foreign one. */
  private void probe() {
    dataset.marks().sync();
    if (dataset.config().attached() != null) {
      Table data = dataset.periods().all().getLast().primary().dataTable();
      Bytes row = Bytes.of((byte) 0);
      List<FamilySelect> families = List.of(FamilySelect.latest(0));
      int length = data.spec().partitioning().prefixLength(row.toArray(), 0, 1);
      ReadPlan plan = ReadPlan.of(List.of(Slice.row(row.slice(0, length), row)), families);
      try (CellCursor cursor = data.read(plan, null)) {
        cursor.next(new CellBatch());
      }
    }
  }

  /**
   * Makes every write fail from now on, also of cells by writers that wait for {@link #alone}.
   *
   * @return whether this is the first reason
   */
  public boolean stop(String reason) {
    return stopped.stop(reason);
  }

  /**
   * Checks that writes have not been stopped.
   *
   * @throws WriteFailedException with the reason if they have
   */
  public void ensureNotStopped() {
    stopped.ensureNone();
  }

  /**
   * Repairs the effects of deletes by other servers in tables that they write to as well: forgets
   * cached names, so that they are looked up again, and repeats the writes of index cells that
   * recent samples rely on. Call this once all writes that had begun at the preceding call have
   * ended.
   */
  public void revisit() {
    dataset.layouts().forEach(PlacedLayout::forget);
    index.revisit();
  }

  /**
   * Forgets which index cells are durable, so that later samples write theirs again, because some
   * were deleted.
   */
  public void forgetIndexCells() {
    index.forget();
  }

  /**
   * Forgets cached names and series, so that they are looked up again, because names have changed.
   */
  public void forgetNames() {
    dataset.layouts().forEach(PlacedLayout::forget);
    series.forget();
  }

  /** Returns the markers of writes into companions; null if no period has companions. */
  public @Nullable Companions companions() {
    return companions;
  }

  /** Returns a writer that copies samples of a primary into its companions. */
  public CompanionWriter companionWriter() {
    return new CompanionWriter(dataset, series, tables);
  }

  /** Returns a writer that copies samples of cells into blocks. */
  public BlockCopier copier() {
    return new BlockCopier(path, admission, tables.writing());
  }

  /**
   * Runs an action while nobody writes samples and no companion is repaired: every sample written
   * before has a lower stamp than those that the action takes, and every later one a higher stamp.
   */
  public <T> T alone(Supplier<T> action) {
    if (companions != null) {
      companions.lock();
    }
    tables.alone().lock();
    try {
      return action.get();
    } finally {
      tables.alone().unlock();
      if (companions != null) {
        companions.unlock();
      }
    }
  }

  /**
   * Runs an action that adds to the catalog, as a write does: at the same time as writes, but never
   * while a series is removed.
   */
  public <T> T besideWrites(Supplier<T> action) {
    tables.writing().lock();
    try {
      return action.get();
    } finally {
      tables.writing().unlock();
    }
  }

  /** Returns the writers of the dataset's tables. */
  public TableWriters tables() {
    return tables;
  }

  /** Returns the writer's metrics by name. */
  public Map<String, Double> figures() {
    Map<String, Double> figures = new TreeMap<>();
    figures.put("write_batches_total", batches.doubleValue());
    figures.put("write_accepted_total", accepted.doubleValue());
    figures.put("write_refused_total", refused.doubleValue());
    figures.put("write_failures_total", failed.doubleValue());
    figures.put("write_keys_cached", (double) series.size());
    figures.put("write_index_cells_skipped_total", (double) index.skipped());
    figures.put("write_guardrail_findings_total", (double) tables.findings());
    figures.put("write_markers", companions == null ? 0.0 : companions.pending().size());
    return figures;
  }

  /** Stops the background checks of stores. */
  @Override
  public void close() {
    outage.close();
  }
}
