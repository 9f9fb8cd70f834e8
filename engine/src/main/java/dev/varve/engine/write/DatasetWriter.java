package dev.varve.engine.write;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import dev.varve.engine.FieldLimits;
import dev.varve.engine.OverloadedException;
import dev.varve.engine.WriteFailedException;
import dev.varve.engine.WriteResult;
import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.write.Applier.Rejected;
import dev.varve.engine.write.KnownSeries.Standing;
import dev.varve.engine.write.UsedIndexCells.Place;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowSamples;
import dev.varve.layout.guardrail.Finding;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.Bytes;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.model.Tags;
import dev.varve.store.Capabilities;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes batches into a dataset. Safe for use by several threads. */
public final class DatasetWriter implements AutoCloseable {
  /** How far marks of the clock are put ahead of the stamps that are given. */
  static final long MARK_AHEAD_MICROS = 2_000_000;

  static final Refusal KEY_REJECTED =
      new Refusal(
          "store.rejected", "the store rejects the cells by which the series would be found");

  private static final Logger LOG = LoggerFactory.getLogger(DatasetWriter.class);
  private static final long SERIES_BYTES_MAX = 256L << 20;

  /** Of a remembered series, beside its two keys: an entry of the cache, identity and bindings. */
  private static final int SERIES_OVERHEAD_BYTES = 400;

  private static final int INDEX_CELLS_REMEMBERED = 1 << 18;

  private static final int POOLED = 8;
  private static final long POOLED_BYTES_MAX = 16 << 20;

  private final OpenDataset dataset;
  private final Admission admission;
  private final FieldLimits fieldLimits;
  private final Applier homeApplier;

  /** By slot, then by table. */
  private final List<List<TableWriter>> tables = new ArrayList<>();

  private final List<ArrayBlockingQueue<LayoutEdits>> pools = new ArrayList<>();
  private final Cache<GroupKey, KnownSeries> known;
  private final KnownCells indexCells;

  /** Null where nobody else deletes what stands. */
  private final @Nullable UsedIndexCells usedIndexCells;

  private final @Nullable Companions companions;

  /**
   * Held shared by whoever writes samples from their stamps on, and alone by whoever rewrites rows:
   * what it read must be all that was accepted so far.
   */
  private final ReadWriteLock rows = new ReentrantReadWriteLock();

  /** Why nothing may be written any more; null as long as it may. */
  private final AtomicReference<@Nullable String> stopped = new AtomicReference<>();

  private final WriteOutage outage;
  private final LongAdder batches = new LongAdder();
  private final LongAdder accepted = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder indexCellsSkipped = new LongAdder();
  private final LongAdder findings = new LongAdder();

  /**
   * A writer.
   *
   * @param seriesCache bytes that what is remembered of series may take; up to 256 MiB are used
   */
  public DatasetWriter(
      OpenDataset dataset, Admission admission, FieldLimits fieldLimits, long seriesCache) {
    this.dataset = dataset;
    this.admission = admission;
    this.fieldLimits = fieldLimits;
    this.homeApplier = homeApplier(dataset.home().series().table());
    this.outage = new WriteOutage(dataset.name(), this::probe, System::nanoTime);
    boolean together = false;
    boolean indexed = false;
    for (Period period : dataset.periods().all()) {
      together |= period.hasCompanions();
      for (PlacedLayout layout : period.layouts()) {
        indexed |= layout.layout().tables().size() > 1;
        pools.add(new ArrayBlockingQueue<>(POOLED));
        tables.add(writers(layout));
      }
    }
    boolean shared = dataset.config().attached() != null;
    this.known =
        series(
            Math.min(seriesCache, SERIES_BYTES_MAX),
            shared ? dataset.config().refresh().believed() : null);
    this.indexCells = new KnownCells(indexed ? INDEX_CELLS_REMEMBERED : 1);
    this.usedIndexCells = indexed && shared ? new UsedIndexCells(INDEX_CELLS_REMEMBERED) : null;
    this.companions =
        together
            ? new Companions(
                dataset.home().markers(), homeApplier(dataset.home().markers().table()))
            : null;
  }

  /** What is known of series; where others write too each is forgotten in its own time. */
  private static Cache<GroupKey, KnownSeries> series(long bytes, @Nullable Duration believed) {
    Caffeine<GroupKey, KnownSeries> cache =
        Caffeine.newBuilder()
            .maximumWeight(bytes)
            .weigher((key, series) -> SERIES_OVERHEAD_BYTES + (int) key.byteCount());
    if (believed == null) {
      return cache.build();
    }
    long half = Math.max(1, believed.toNanos() / 2);
    return cache
        .expireAfter(
            Expiry.creating((GroupKey key, KnownSeries series) ->
                Duration.ofNanos(half + ThreadLocalRandom.current().nextLong(half))))
        .build();
  }

  private List<TableWriter> writers(PlacedLayout layout) {
    List<TableWriter> writers = new ArrayList<>();
    for (int table = 0; table < layout.layout().tables().size(); table++) {
      Table of = layout.table(table);
      Capabilities capabilities = dataset.store().capabilities(of.spec());
      TableCounters counters =
          new TableCounters(layout, table, dataset.store().kind(), capabilities, this::found);
      writers.add(new TableWriter(applier(of), counters));
    }
    return writers;
  }

  private Applier applier(Table table) {
    return applier(dataset.store(), table);
  }

  private Applier homeApplier(Table table) {
    return applier(dataset.homeStore(), table);
  }

  private static Applier applier(Store store, Table table) {
    return new Applier(table, store.capabilities(table.spec()).limits());
  }

  private void found(PlacedLayout layout, Bytes row, Finding finding) {
    findings.increment();
    LOG.warn("dataset '{}', layout '{}', row {}: {}", dataset.name(), layout.name(), row, finding);
  }

  private record TableWriter(Applier applier, TableCounters counters) {}

  /**
   * Writes a batch.
   *
   * @throws OverloadedException if nothing was tried because too much waits
   * @throws WriteFailedException if a store failed
   */
  public WriteResult write(Batch batch) {
    return write(batch, null);
  }

  /**
   * Whether samples can be given a lifetime: the store of every layout ends cells by itself, and
   * none is a companion, which is repaired from cells whose end nobody tells.
   */
  public boolean endsSamples() {
    return companions == null
        && dataset.periods().all().stream()
            .flatMap(period -> period.layouts().stream())
            .allMatch(layout -> layout.dataTable().power(Power.Expiry.class).isPresent());
  }

  /**
   * Writes a batch of samples that end.
   *
   * @param lifetime null for none; else {@link #endsSamples()} holds
   * @throws OverloadedException if nothing was tried because too much waits
   * @throws WriteFailedException if a store failed
   */
  public WriteResult write(Batch batch, @Nullable Duration lifetime) {
    if (dataset.config().isReadOnly()) {
      WriteResult nothing = refuseAll(batch);
      refused.add(nothing.refused());
      return nothing;
    }
    String reason = stopped.get();
    if (reason != null) {
      failed.increment();
      throw new WriteFailedException(reason, false);
    }
    int room = admission.enter(bytes(batch));
    try {
      WriteResult result = new WriteJob(this, batch, lifetime).run();
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
   * Why writes cannot succeed at present, in words for the operator; null where nothing is known to
   * be in their way, and where the dataset is only read.
   */
  public @Nullable String obstacle() {
    if (dataset.config().isReadOnly()) {
      return null;
    }
    String reason = stopped.get();
    if (reason == null) {
      reason = dataset.store().writeObstacle();
    }
    if (reason == null) {
      reason = dataset.homeStore().writeObstacle();
    }
    return reason == null ? outage.reason() : reason;
  }

  /** Tries the stores out: by a write where they are ours, else by a read. */
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

  /** Ends what goes on in the background. */
  @Override
  public void close() {
    outage.close();
  }

  /**
   * Makes every write fail from now on.
   *
   * @return whether this is the first reason
   */
  public boolean stop(String reason) {
    return stopped.compareAndSet(null, reason);
  }

  private WriteResult refuseAll(Batch batch) {
    Refusal refusal =
        new Refusal(
            "attach.read-only",
            "dataset '%s' is attached read-only: its tables are another server's, and nothing is written to them"
                .formatted(dataset.name()));
    Tally tally = new Tally();
    batch
        .groups()
        .forEach(group -> tally.refuse(group.sampleCount(), group.key(), null, null, refusal));
    batch
        .attributes()
        .forEach(attribute ->
            tally.refuse(1, attribute.key(), attribute.name(), attribute.time(), refusal));
    return tally.result(batch.sampleCount() + batch.attributes().size());
  }

  /** About how much memory a batch and its cells take. */
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

  OpenDataset dataset() {
    return dataset;
  }

  FieldLimits fieldLimits() {
    return fieldLimits;
  }

  /** The markers of writes into companions; null where no period has any. */
  public @Nullable Companions companions() {
    return companions;
  }

  /**
   * What is known of a key that is written to.
   *
   * @throws RefusedException if another key has its identity
   */
  KnownSeries series(GroupKey raw) {
    KnownSeries series = known.getIfPresent(raw);
    if (series == null) {
      series = resolve(raw);
      known.put(raw, series);
    }
    return series;
  }

  private KnownSeries resolve(GroupKey raw) {
    GroupKey key = withResources(raw);
    SeriesIdentity identity = SeriesIdentity.of(key);
    int number = dataset.index().find(identity);
    Standing standing = Standing.NOTHING;
    if (number >= 0) {
      if (!dataset.index().key(number).equals(key)) {
        throw new RefusedException(
            "catalog.identity",
            "%s has the same 128 bits of identity as %s, which stands"
                .formatted(key, dataset.index().key(number)));
      }
      standing = new Standing(number, fields(number), dataset.index().extent(number));
    }
    return new KnownSeries(key, identity, dataset.periods().slots(), standing);
  }

  private FieldKinds fields(int series) {
    List<FieldKinds.Field> fields = new ArrayList<>();
    for (String field : dataset.index().fields(series)) {
      for (Kind kind : Kind.values()) {
        if (dataset.index().hasField(series, field, kind)) {
          fields.add(new FieldKinds.Field(field, kind));
        }
      }
    }
    return FieldKinds.NONE.with(fields);
  }

  /** Tags that the dataset lists as resource identifiers stand among these, where there is room. */
  private GroupKey withResources(GroupKey raw) {
    Tags tags = raw.tags();
    Tags resource = raw.resource();
    for (String name : dataset.config().resources()) {
      String value = raw.tags().get(name);
      if (value != null && !resource.has(name)) {
        tags = tags.without(name);
        resource = resource.with(name, value);
      }
    }
    return resource.equals(raw.resource()) ? raw : new GroupKey(raw.metric(), tags, resource);
  }

  /** The time from which on samples are kept; {@link Long#MIN_VALUE} where all are. */
  long oldestKept() {
    return dataset.oldestKept();
  }

  Refusal tooOld(long time, long oldest) {
    return new Refusal(
        "retention",
        "time %d is older than what the dataset keeps, which is %s, back to %d"
            .formatted(time, dataset.config().retention(), oldest));
  }

  Refusal tooLate(long time) {
    if (time == Long.MAX_VALUE) {
      return new Refusal(
          "time.range",
          "time %d is out of range: a dataset holds times up to %d"
              .formatted(time, Long.MAX_VALUE - 1));
    }
    if (time < dataset.periods().closedFrom()) {
      return new Refusal(
          "retention.ahead",
          "time %d is more than a day ahead of the clock: the store removes what is older than %s by the time of writing, and would remove this too early"
              .formatted(time, dataset.config().retention()));
    }
    return new Refusal(
        "period.unknown",
        "time %d is in a period that another server has added to dataset '%s' and this server's configuration lacks: declare it here too"
            .formatted(time, dataset.name()));
  }

  /** The period that an attribute belongs to; what has no time belongs to the last one. */
  Period periodOf(Attribute attribute) {
    Long time = attribute.time();
    return time == null ? dataset.periods().all().getLast() : dataset.periods().of(time);
  }

  Applier homeApplier() {
    return homeApplier;
  }

  /** Empty edits of a layout, to be given back. */
  LayoutEdits take(PlacedLayout layout) {
    LayoutEdits pooled = pools.get(layout.slot()).poll();
    return pooled != null ? pooled : new LayoutEdits(layout);
  }

  void giveBack(LayoutEdits edits) {
    if (edits.byteCount() <= POOLED_BYTES_MAX) {
      edits.clear();
      pools.get(edits.layout().slot()).offer(edits);
    }
  }

  /** Held by whoever writes samples, behind the lock of the companions. */
  Lock writing() {
    return rows.readLock();
  }

  /**
   * Rewrites rows while nobody writes.
   *
   * @param edits makes the edits of the layout's data table
   * @throws WriteFailedException if the store fails or rejects something
   */
  public void rewriteRows(PlacedLayout layout, Supplier<MutationBatch> edits) {
    rows.writeLock().lock();
    try {
      int table = layout.layout().dataTable();
      List<Rejected> rejected = apply(layout, table, edits.get(), dataset.earlier());
      if (!rejected.isEmpty()) {
        throw new WriteFailedException(
            "layout '%s': the store rejects a row that was written anew: %s"
                .formatted(layout.name(), rejected.getFirst().reason()),
            false);
      }
    } finally {
      rows.writeLock().unlock();
    }
  }

  /** Applies edits of a table of a layout, and counts them. */
  List<Rejected> apply(PlacedLayout layout, int table, MutationBatch batch, Durability durability) {
    return apply(layout, table, batch, durability, null);
  }

  /**
   * The same for cells that end.
   *
   * @param lifetime null for none
   */
  List<Rejected> apply(
      PlacedLayout layout,
      int table,
      MutationBatch batch,
      Durability durability,
      @Nullable Duration lifetime) {
    if (batch.isEmpty()) {
      return List.of();
    }
    TableWriter writer = tables.get(layout.slot()).get(table);
    int longest = writer.counters().count(batch);
    return writer.applier().apply(batch, longest, durability, lifetime);
  }

  /**
   * The index edits of a table without those that are known to stand.
   *
   * @param unknown takes the hashes of the others
   */
  MutationBatch unknown(
      PlacedLayout layout, int table, MutationBatch edits, List<HashValue128> unknown) {
    MutationBatch rest = new MutationBatch();
    for (int edit = 0; edit < edits.size(); edit++) {
      if (edits.edit(edit) != MutationBatch.Edit.PUT) {
        rest.addFrom(edits, edit);
        continue;
      }
      HashValue128 hash = KnownCells.hash(layout.slot(), table, edits.cells(), edit);
      boolean believed =
          usedIndexCells == null
              || usedIndexCells.use(new Place(layout.slot(), table), hash, edits, edit);
      if (!believed || !indexCells.has(hash)) {
        rest.addFrom(edits, edit);
        unknown.add(hash);
      }
    }
    indexCellsSkipped.add(edits.size() - rest.size());
    return rest;
  }

  /**
   * Sees to it that what others may have deleted in tables that they write too does no harm: names
   * are looked up anew, and index cells put once more that samples were written behind. To be
   * called when all writes that had begun at the call before have ended.
   */
  public void revisit() {
    dataset.periods().all().forEach(period -> period.layouts().forEach(PlacedLayout::forget));
    if (usedIndexCells != null) {
      usedIndexCells.due().forEach(this::putAgain);
      usedIndexCells.turn();
    }
  }

  private void putAgain(Place place, MutationBatch edits) {
    PlacedLayout layout = layout(place.slot());
    Resolution unit = layout.table(place.table()).spec().timeUnit();
    long time = Resolution.MICROSECONDS.convert(dataset.stamps(1), unit);
    MutationBatch again = new MutationBatch();
    CellBatch cells = edits.cells();
    for (int edit = 0; edit < edits.size(); edit++) {
      again.put(
          cells.row(edit), cells.family(edit), cells.qualifier(edit), time, cells.value(edit));
    }
    for (Rejected rejected : apply(layout, place.table(), again, Durability.SYNCED)) {
      LOG.warn(
          "dataset '{}', layout '{}': the store rejects an index row: {}",
          dataset.name(),
          layout.name(),
          rejected.reason());
    }
  }

  private PlacedLayout layout(int slot) {
    return dataset.periods().all().stream()
        .flatMap(period -> period.layouts().stream())
        .filter(layout -> layout.slot() == slot)
        .findFirst()
        .orElseThrow();
  }

  /** Takes note of index cells that are durable. */
  void remember(List<HashValue128> durable) {
    for (HashValue128 hash : durable) {
      indexCells.add(hash);
    }
  }

  /** Refuses the samples of a row that the store rejects. */
  void refuse(PlacedLayout layout, Rejected row, Tally tally) {
    CellBatch cells = row.batch().cells();
    Refusal refusal = new Refusal("store.rejected", row.reason());
    RowSamples samples = new RowSamples();
    try {
      layout.layout().decode(cells, row.first(), row.end(), samples);
      GroupKey key = layout.run(layout.layout().identify(cells.row(row.first())));
      int count = samples.attributes().size();
      for (RowSamples.Vector vector : samples.vectors()) {
        count += vector.samples().size();
      }
      tally.refuse(count, key, null, null, refusal);
    } catch (DamagedCellException e) {
      throw new IllegalStateException(
          "layout '%s' cannot read the row %s that it wrote: %s"
              .formatted(layout.name(), cells.row(row.first()), e.getMessage()),
          e);
    }
  }

  /**
   * Writes into one companion what its primary has, before whatever is synced next.
   *
   * @param stamp of the first of the samples; 0 for a new one
   * @throws WriteFailedException if the store fails or rejects something
   */
  public void rewrite(PlacedLayout companion, SampleGroup group, long stamp) {
    KnownSeries series = series(group.key());
    rewrite(
        companion,
        edits ->
            companion
                .layout()
                .encode(
                    series.binding(companion),
                    group,
                    stamp == 0 ? dataset.stamps(group.size()) : stamp,
                    edits));
  }

  /**
   * Writes an attribute into one companion, as {@link #rewrite(PlacedLayout, SampleGroup, long)}.
   */
  public void rewrite(PlacedLayout companion, Attribute attribute) {
    KnownSeries series = series(attribute.key());
    rewrite(
        companion,
        edits ->
            companion
                .layout()
                .encode(series.binding(companion), attribute, dataset.stamps(1), edits));
  }

  private void rewrite(PlacedLayout companion, Consumer<LayoutEdits> encode) {
    LayoutEdits edits = take(companion);
    writing().lock();
    try {
      edits.refusals((column, place, refusal) ->
          LOG.warn(
              "dataset '{}': companion '{}' refuses what its primary holds: {}",
              dataset.name(),
              companion.name(),
              refusal.message()));
      encode.accept(edits);
      for (int table = 0; table < edits.tables(); table++) {
        ensureApplied(companion, table, edits.index(table));
      }
      for (int table = 0; table < edits.tables(); table++) {
        ensureApplied(companion, table, edits.data(table));
      }
    } finally {
      writing().unlock();
      giveBack(edits);
    }
  }

  private void ensureApplied(PlacedLayout companion, int table, MutationBatch edits) {
    List<Rejected> rejected = apply(companion, table, edits, Durability.ORDERED);
    if (!rejected.isEmpty()) {
      throw new WriteFailedException(
          "companion '%s' rejects a row of its primary: %s"
              .formatted(companion.name(), rejected.getFirst().reason()),
          false);
    }
  }

  void companionFailed(PlacedLayout layout, WriteFailedException failure) {
    LOG.warn(
        "dataset '{}': a write did not reach companion '{}' and will be repeated: {}",
        dataset.name(),
        layout.name(),
        failure.getMessage());
  }

  /** Figures of the dataset's writing by name. */
  public Map<String, Double> figures() {
    Map<String, Double> figures = new TreeMap<>();
    figures.put("write_batches_total", batches.doubleValue());
    figures.put("write_accepted_total", accepted.doubleValue());
    figures.put("write_refused_total", refused.doubleValue());
    figures.put("write_failures_total", failed.doubleValue());
    figures.put("write_index_cells_skipped_total", indexCellsSkipped.doubleValue());
    figures.put("write_guardrail_findings_total", findings.doubleValue());
    figures.put("write_markers", companions == null ? 0.0 : companions.standing().size());
    return figures;
  }
}
