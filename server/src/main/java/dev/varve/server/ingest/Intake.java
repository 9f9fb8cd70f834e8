package dev.varve.server.ingest;

import dev.varve.engine.Dataset;
import dev.varve.engine.progress.FillResult;
import dev.varve.engine.request.WriteResult.Rejection;
import dev.varve.engine.write.SampleBatch;
import dev.varve.engine.write.SeriesHandle;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.MetricMetadata;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.http.WriteBudget.Reservation;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Writes the samples of one request or connection to a dataset. Not thread-safe. */
public final class Intake {
  /** Number of samples from which a batch is written; a request may contain many more. */
  public static final int BATCH = 16 << 10;

  /** The rule that refuses an unreadable line, point or body. */
  public static final String SYNTAX = "syntax";

  /** Bytes of columns from which a batch is written if the budget is large. */
  private static final long BATCH_BYTES = 16L << 20;

  private final Dataset dataset;
  private final Reservation memory;
  private final long batchBytes;
  private final IngestListener listener;
  private final IntakeTally tally;
  private final StoredForm form;

  /** Creates an intake for samples that no client sends. */
  public Intake(Dataset dataset, String dialect, IngestListener listener) {
    this(dataset, dialect, listener, WriteBudget.unlimited());
  }

  /**
   * Creates an intake.
   *
   * @param memory reservation for the columns of batches until they are written
   */
  public Intake(Dataset dataset, String dialect, IngestListener listener, Reservation memory) {
    this.dataset = dataset;
    this.memory = memory;
    this.batchBytes = Math.min(BATCH_BYTES, memory.most() / 4);
    this.listener = listener;
    this.tally = new IntakeTally(dataset.name(), dialect, listener, memory);
    this.form = new StoredForm(dataset, listener, tally);
  }

  public Dataset dataset() {
    return dataset;
  }

  /** Returns the door that series pass. */
  public Door door() {
    return listener.door();
  }

  /** Returns the reservation for the columns. */
  public Reservation memory() {
    return memory;
  }

  /** Returns whether integers become doubles at any time, unless their sender insists. */
  public boolean coerces() {
    return form.coerces();
  }

  /** Returns whether the dataset supports samples that expire. */
  public boolean endsSamples() {
    return dataset.endsSamples();
  }

  /** Returns the key under which samples are stored; null if they are dropped or refused. */
  public @Nullable GroupKey stored(GroupKey sent) {
    return form.stored(sent);
  }

  /**
   * Returns the key that the door gives a series; null if the series is dropped or refused, which
   * is recorded.
   *
   * @param samples number of samples of the key
   */
  public @Nullable GroupKey enter(GroupKey key, int samples) {
    return form.enter(key, samples);
  }

  /** Returns an empty batch that reserves its columns as it grows. */
  public BatchBuilder newBatch() {
    return new BatchBuilder(memory::hold);
  }

  /** Returns whether a batch has enough samples or bytes to be written. */
  public boolean isFull(BatchBuilder batch) {
    return batch.sampleCount() >= BATCH || batch.byteCount() >= batchBytes;
  }

  /**
   * Like {@link #write(Batch, boolean)}, for a batch of {@link #newBatch}. The batch is empty
   * afterwards and reserves nothing.
   */
  public void write(BatchBuilder batch, boolean insists) {
    write(batch, insists, null);
  }

  /** Like {@link #write(Batch, boolean, Duration)}, for a batch of {@link #newBatch}. */
  public void write(BatchBuilder batch, boolean insists, @Nullable Duration lifetime) {
    counted(batch, full -> write(full, insists, lifetime));
  }

  /** Like {@link #writeOwn(Batch, boolean)}, for a batch of {@link #newBatch}. */
  public void writeOwn(BatchBuilder batch, boolean insists) {
    counted(batch, full -> writeOwn(full, insists));
  }

  private void counted(BatchBuilder batch, Consumer<Batch> writing) {
    // Converted times and values exist in addition to the originals.
    long bytes = batch.byteCount() * (form.copies() ? 2 : 1);
    memory.hold(bytes - batch.byteCount());
    try {
      writing.accept(batch.build());
    } finally {
      memory.letGo(bytes);
    }
  }

  /**
   * Writes samples with times in milliseconds, and returns once the accepted ones are durable. Tags
   * that the dataset lists as resources become resource identifiers.
   *
   * @param insists whether integers must stay integers
   * @throws dev.varve.engine.error.OverloadedException if nothing was tried because too much waits
   * @throws dev.varve.engine.error.WriteFailedException if a store failed
   */
  public void write(Batch batch, boolean insists) {
    write(batch, insists, null);
  }

  /**
   * Writes samples that expire.
   *
   * @param lifetime null for none; otherwise the dataset must support it
   */
  public void write(Batch batch, boolean insists, @Nullable Duration lifetime) {
    store(form.throughDoor(form.inResolution(batch)), insists, lifetime);
  }

  /**
   * Writes samples with times in the resolution of the dataset.
   *
   * @param insists whether integers must stay integers
   */
  public void writeOwn(Batch batch, boolean insists) {
    store(form.throughDoor(batch), insists, null);
  }

  /**
   * Like {@link #write(Batch, boolean)}, for samples with keys from {@link #enter}, which do not
   * pass the door again.
   */
  public void writeEntered(Batch batch) {
    store(form.inResolution(batch), false, null);
  }

  private void store(Batch entered, boolean insists, @Nullable Duration lifetime) {
    int before = tally.coerced();
    Batch stored = form.inHeldKinds(entered, insists);
    if (!stored.groups().isEmpty() || !stored.attributes().isEmpty()) {
      long start = System.nanoTime();
      tally.countWritten(
          lifetime == null ? dataset.write(stored) : dataset.write(stored, lifetime),
          tally.coerced() - before,
          start);
    }
  }

  /**
   * Writes samples at whose instants the dataset has none, and compares all of them with what it
   * has then. Times are in the resolution of the dataset.
   *
   * @param insists whether integers must stay integers
   * @throws dev.varve.engine.error.OverloadedException if nothing was tried because too much waits
   * @throws dev.varve.engine.error.WriteFailedException if a store failed
   */
  public FillResult fill(Batch batch, boolean insists) {
    long start = System.nanoTime();
    int before = tally.coerced();
    FillResult result = dataset.fill(asStored(batch, insists));
    tally.countWritten(result.written(), tally.coerced() - before, start);
    return result;
  }

  /** Compares samples, as they would be stored, with what the dataset has at their instants. */
  public List<FillResult.Day> compare(Batch batch, boolean insists) {
    return dataset.compare(asStored(batch, insists));
  }

  /**
   * Returns the batch that the dataset would be asked to store, from samples with times in its
   * resolution. Samples that cannot be stored are refused.
   *
   * @param insists whether integers must stay integers
   */
  public Batch asStored(Batch batch, boolean insists) {
    return form.inHeldKinds(form.throughDoor(batch), insists);
  }

  /**
   * Returns an empty batch for samples by handle, with times in the resolution of the dataset,
   * which reserves its columns as it grows; null if the dataset gives no handles.
   */
  public @Nullable SampleBatch newSamples() {
    return dataset.newSamples(memory::hold);
  }

  /**
   * Returns the handle by which samples of a series are written; null if they have to be written
   * under its key.
   *
   * @param sent the key as it was sent, which passes the door
   * @param kind of the samples: a number
   */
  public @Nullable SeriesHandle handle(GroupKey sent, String field, Kind kind) {
    GroupKey stored = form.coerces() ? null : form.stored(sent);
    return stored == null ? null : dataset.handle(stored, field, kind);
  }

  /**
   * Notes that the caller keeps a handle from {@link #handle} and does not ask for it again.
   *
   * @param sent the key as it was sent
   */
  public void handleKept(GroupKey sent, String field, Kind kind) {
    GroupKey stored = form.stored(sent);
    if (stored != null) {
      dataset.handleKept(stored, field, kind);
    }
  }

  /** Writes samples by handle. The batch is empty afterwards and reserves nothing. */
  public void write(SampleBatch samples) {
    long start = System.nanoTime();
    try {
      tally.countWritten(dataset.write(samples), 0, start);
    } finally {
      memory.letGo(samples.byteCount());
      samples.clear();
    }
  }

  /**
   * Stores metadata of metrics and returns once it is durable.
   *
   * @throws dev.varve.engine.error.WriteFailedException if a store failed
   */
  public void describe(Collection<MetricMetadata> metrics) {
    dataset.catalog().describe(metrics);
  }

  /**
   * Counts and logs input that a reader has refused before it became a sample. {@link #refused()}
   * does not count it.
   *
   * @param rule the broken rule; one of a few fixed names
   * @param example describes one of them with the reason
   */
  public void report(String rule, long count, Supplier<String> example) {
    tally.report(rule, count, example);
  }

  /** Returns the number of durable samples. */
  public long accepted() {
    return tally.accepted();
  }

  /** Returns the number of refused samples, which no retry would write. */
  public long refused() {
    return tally.refused();
  }

  /** Returns the number of samples that the door's rules dropped. */
  public long dropped() {
    return tally.dropped();
  }

  /** Returns the number of integers that were stored as doubles. */
  public int coerced() {
    return tally.coerced();
  }

  /** Returns the first rejections with their reasons. */
  public List<Rejection> rejections() {
    return tally.rejections();
  }

  /**
   * Returns whether a rejection has the key as it was sent instead of as it would be stored.
   *
   * @param index index of the rejection
   */
  public boolean isAsSent(int index) {
    return tally.isAsSent(index);
  }
}
