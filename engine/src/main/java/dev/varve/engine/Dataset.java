package dev.varve.engine;

import dev.varve.engine.catalog.SeriesBounds;
import dev.varve.engine.config.Acknowledgement;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.progress.FillResult;
import dev.varve.engine.request.PartedRead;
import dev.varve.engine.request.PointExplanation;
import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.request.WriteResult;
import dev.varve.engine.write.BatchWithin;
import dev.varve.engine.write.SampleBatch;
import dev.varve.engine.write.SeriesHandle;
import dev.varve.layout.Domain;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A dataset: accepts points and returns runs. Safe for use by several threads. Calls block and are
 * intended for virtual threads.
 */
public final class Dataset implements AutoCloseable {
  private final DatasetParts parts;
  private final DatasetView view;

  Dataset(DatasetParts parts) {
    this(new DatasetView(parts, null));
  }

  private Dataset(DatasetView view) {
    this.view = view;
    this.parts = view.parts();
  }

  /**
   * Returns a view of this dataset for a user who is restricted to some series. Reads, catalog
   * queries and deletes cover these series only. Samples of other series are refused one by one.
   * Operations that cannot be restricted are refused. A view is cheap, shares all state with the
   * dataset, and is equal to other views of it with equal bounds. Closing it does nothing.
   */
  public Dataset within(SeriesBounds bounds) {
    return new Dataset(new DatasetView(parts, bounds));
  }

  /** Returns whether this is a view for users who are restricted to some series. */
  public boolean isBound() {
    return view.bounds() != null;
  }

  /**
   * Returns whether the default field of a key is within the bounds of this view, whether or not
   * the series exists.
   */
  public boolean contains(GroupKey key) {
    SeriesBounds bounds = view.bounds();
    return bounds == null || bounds.contains(key, Series.DEFAULT_FIELD);
  }

  /** Returns the parts that all views share. */
  DatasetParts parts() {
    return parts;
  }

  /** Returns the catalog of metrics, tags and values. */
  public Catalog catalog() {
    return new Catalog(view);
  }

  /** Returns the deletes of samples. */
  public Deletes deletes() {
    return new Deletes(view);
  }

  /**
   * Returns the data, other than samples, that an original server keeps with the dataset's tables.
   */
  public Originals originals() {
    return new Originals(view);
  }

  /** Returns the maintenance of the tables, which changes no query result. */
  public Maintenance maintenance() {
    return new Maintenance(view);
  }

  /** Returns the use of the dataset: its queries, its hot keys and the growth of its series. */
  public Usage usage() {
    return new Usage(view);
  }

  public String name() {
    return parts.open().name();
  }

  /** Returns the unit of all times. */
  public Resolution resolution() {
    return parts.open().resolution();
  }

  /**
   * Returns when the dataset was created. A restored dataset has the time of its original, and one
   * that was created anew has a later one.
   */
  public Instant created() {
    return parts.open().created();
  }

  public DatasetConfig config() {
    return parts.open().config();
  }

  /** Returns how durable samples are when a write returns. */
  public Acknowledgement acknowledgement() {
    boolean journals =
        parts.open().periods().all().stream().anyMatch(period -> period.isInBlocks());
    return Acknowledgement.of(parts.open().store().syncedTo(), journals, config().journal().sync());
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
    return parts.open().periods().all().stream()
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
    return writeWithin(batch, parts.writer()::write);
  }

  private WriteResult writeWithin(Batch batch, Function<Batch, WriteResult> writing) {
    if (view.bounds() == null) {
      return writing.apply(batch);
    }
    BatchWithin within = new BatchWithin(batch, view.bounds());
    return within.isEmpty() ? within.ofNothing() : within.with(writing.apply(within.inside()));
  }

  /**
   * Writes those samples of a batch at whose instants the dataset has no sample of any kind, then
   * compares the batch with the dataset. Never replaces a sample that {@link #write} writes before,
   * during or after the call. Writers wait while the batch is looked up and written, so the batch
   * should be small.
   *
   * @param batch without attributes
   * @throws QueryRefusedException while the catalog is incomplete
   * @throws OverloadedException if the engine is overloaded; nothing was written
   * @throws WriteFailedException if a store failed
   */
  public FillResult fill(Batch batch) {
    view.refuseWithoutCatalog();
    if (view.bounds() == null) {
      return parts.fill().run(batch);
    }
    BatchWithin within = new BatchWithin(batch, view.bounds());
    FillResult result = parts.fill().run(within.inside());
    return new FillResult(within.with(result.written()), result.days());
  }

  /**
   * Compares a batch with the samples of the dataset at the same instants. Writes nothing.
   *
   * @throws QueryRefusedException while the catalog is incomplete
   */
  public List<FillResult.Day> compare(Batch batch) {
    view.refuseWithoutCatalog();
    view.refuseOutside(batch);
    return parts.fill().compare(batch);
  }

  /**
   * Returns a handle by which samples of a series are written without its key; null if they have to
   * be written under the key. Times of such samples are in the resolution of the dataset.
   *
   * @param key as it is stored, with resource identifiers apart from tags
   * @param kind of the samples: a number
   */
  public @Nullable SeriesHandle handle(GroupKey key, String field, Kind kind) {
    return view.bounds() == null || view.bounds().contains(key, field)
        ? parts.writer().handle(key, field, kind)
        : null;
  }

  /**
   * Records that the caller keeps a handle. Once a caller has the handle of the last field of a
   * key, the writer evicts the key from its cache. A caller that keeps no handles must not call
   * this, because each of its next calls of {@link #handle} would look the key up again.
   *
   * @param key as in {@link #handle}
   */
  public void handleKept(GroupKey key, String field, Kind kind) {
    parts.writer().handleKept(key, field, kind);
  }

  /**
   * Returns an empty batch for samples by handle; null if the dataset gives no handles.
   *
   * @param growth receives the number of bytes about to be held; an exception from it prevents that
   */
  public @Nullable SampleBatch newSamples(LongConsumer growth) {
    return parts.writer().newSamples(growth);
  }

  /** Like {@link #write(Batch)}, for samples by handle. The batch keeps its samples. */
  public WriteResult write(SampleBatch samples) {
    return parts.writer().write(samples);
  }

  /**
   * Returns a human-readable reason why writes currently fail; null if none is known or if the
   * dataset is read-only. Overload does not count as a reason.
   */
  public @Nullable String writeObstacle() {
    return parts.writer().obstacle();
  }

  /** Returns whether samples can have their own lifetime, after which the store expires them. */
  public boolean endsSamples() {
    return parts.writer().endsSamples();
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
    return writeWithin(batch, inside -> parts.writer().write(inside, lifetime));
  }

  /**
   * Starts a read.
   *
   * @throws QueryRefusedException if the plan would scan a whole table or exceed its budget
   */
  public RunCursor read(ReadRequest request) {
    return read(request, ReadGuard.NONE);
  }

  /**
   * Like {@link #read(ReadRequest)}, with a guard.
   *
   * @param guard accounts for the memory of the read, and may end it
   */
  public RunCursor read(ReadRequest request, ReadGuard guard) {
    view.refuseWithoutCatalog();
    return parts.reader().read(view.bound(request), guard);
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

  /**
   * Like {@link #readInParts(ReadRequest)}, with a guard.
   *
   * @param guard accounts for the memory of the read, and may end it
   */
  public PartedRead readInParts(ReadRequest request, ReadGuard guard) {
    view.refuseWithoutCatalog();
    return parts.reader().inParts(view.bound(request), guard);
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

  /**
   * Like {@link #attributes(Selector, TimeRange)}, with a guard.
   *
   * @param guard accounts for the memory of the read, and may end it
   */
  public Stream<Attribute> attributes(Selector selector, TimeRange times, ReadGuard guard) {
    view.refuseWithoutCatalog();
    return parts.reader().attributes(view.bound(selector), times, guard);
  }

  /**
   * Explains the plan of a read. With {@code analyze} the read is also run, and the explanation
   * includes its actual cost and result size.
   */
  public QueryExplanation explain(ReadRequest request, boolean analyze) {
    return explain(request, analyze, ReadGuard.NONE);
  }

  /**
   * Like {@link #explain(ReadRequest, boolean)}, with a guard.
   *
   * @param guard accounts for the memory of the read, and may end it
   */
  public QueryExplanation explain(ReadRequest request, boolean analyze, ReadGuard guard) {
    view.refuseWithoutCatalog();
    return parts.reader().explain(view.bound(request), analyze, guard);
  }

  /**
   * Explains the cells that a batch would become. Nothing is written.
   *
   * @throws QueryRefusedException if a layout refuses a point of the batch
   */
  public List<PointExplanation> explain(Batch batch) {
    view.refuseOutside(batch);
    return parts.writer().explain(batch);
  }

  /**
   * Returns the texts that services of a server, such as roll-up tasks and annotations, keep with
   * the dataset.
   *
   * @throws QueryRefusedException to bound users
   */
  public ServiceTexts services() {
    view.refuseWithin("what services keep with a dataset");
    return parts.services();
  }

  /** Returns whether the catalog contains every series. Reads are refused until it does. */
  public boolean isCatalogComplete() {
    return parts.refresh().isComplete();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Dataset dataset
            && parts.open().home().equals(dataset.parts.open().home())
            && Objects.equals(view.bounds(), dataset.view.bounds()));
  }

  @Override
  public int hashCode() {
    return Objects.hash(parts.open().home(), view.bounds());
  }

  /** Ends the threads and closes the tables, unless this is a view for some users. */
  @Override
  public void close() {
    if (!isBound()) {
      parts.close();
    }
  }
}
