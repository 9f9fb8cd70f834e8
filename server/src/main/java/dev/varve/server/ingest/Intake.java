package dev.varve.server.ingest;

import dev.varve.engine.Dataset;
import dev.varve.engine.FillResult;
import dev.varve.engine.WriteResult;
import dev.varve.engine.WriteResult.Rejection;
import dev.varve.engine.write.SampleBatch;
import dev.varve.engine.write.SeriesHandle;
import dev.varve.layout.Refusal;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.model.Tags;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.http.WriteBudget.Reservation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Writes the samples of one request or connection to a dataset. Not thread-safe. */
public final class Intake {
  /** Number of samples from which a batch is written; a request may contain many more. */
  public static final int BATCH = 16 << 10;

  /** The rule that refuses a time that the dataset's resolution cannot represent. */
  public static final String TOO_FINE = "time.resolution";

  /** The rule that refuses an unreadable line, point or body. */
  public static final String SYNTAX = "syntax";

  /** Bytes of columns from which a batch is written if the budget is large. */
  private static final long BATCH_BYTES = 16L << 20;

  private static final long REJECTION_BYTES = 200;

  private final Dataset dataset;
  private final Reservation memory;
  private final long batchBytes;
  private final String dialect;
  private final IngestListener listener;
  private final Coercion coercion;
  private final Set<String> resources;
  private final List<Rejection> rejections = new ArrayList<>();

  /** Indexes of the rejections that have the key as it was sent. */
  private final BitSet asSent = new BitSet();

  private long accepted;
  private long refused;
  private long dropped;
  private int coerced;

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
    this.dialect = dialect;
    this.listener = listener;
    this.coercion = Coercion.of(dataset.config());
    this.resources = dataset.config().resources();
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

  /** Writes samples that expire. */
  public void write(BatchBuilder batch, boolean insists, @Nullable Duration lifetime) {
    counted(batch, full -> write(full, insists, lifetime));
  }

  /** Like {@link #writeOwn(Batch, boolean)}, for a batch of {@link #newBatch}. */
  public void writeOwn(BatchBuilder batch, boolean insists) {
    counted(batch, full -> writeOwn(full, insists));
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
    GroupKey stored = coercion.any() ? null : stored(sent);
    return stored == null ? null : dataset.handle(stored, field, kind);
  }

  /** Writes samples by handle. The batch is empty afterwards and reserves nothing. */
  public void write(SampleBatch samples) {
    long start = System.nanoTime();
    try {
      WriteResult result = dataset.write(samples);
      accepted += result.accepted();
      listener.written(dataset.name(), dialect, result, 0, System.nanoTime() - start);
    } finally {
      memory.letGo(samples.byteCount());
      samples.clear();
    }
  }

  private void counted(BatchBuilder batch, Consumer<Batch> writing) {
    boolean copies = coercion.any() || dataset.resolution() != Resolution.MILLISECONDS;
    // Converted times and values exist in addition to the originals.
    long bytes = batch.byteCount() * (copies ? 2 : 1);
    memory.hold(bytes - batch.byteCount());
    try {
      writing.accept(batch.build());
    } finally {
      memory.letGo(bytes);
    }
  }

  /** Returns whether integers become doubles at any time, unless their sender insists. */
  public boolean coerces() {
    return coercion.any();
  }

  /** Returns the number of durable samples. */
  public long accepted() {
    return accepted;
  }

  /** Returns the number of refused samples, which no retry would write. */
  public long refused() {
    return refused;
  }

  /** Returns the number of samples that the door's rules dropped. */
  public long dropped() {
    return dropped;
  }

  /** Returns the number of integers that were stored as doubles. */
  public int coerced() {
    return coerced;
  }

  /** Returns the first rejections with their reasons. */
  public List<Rejection> rejections() {
    return rejections;
  }

  /**
   * Returns whether a rejection has the key as it was sent instead of as it would be stored.
   *
   * @param index index of the rejection
   */
  public boolean isAsSent(int index) {
    return asSent.get(index);
  }

  /** Returns the key under which samples are stored; null if they are dropped or refused. */
  public @Nullable GroupKey stored(GroupKey sent) {
    GroupKey entered = listener.door().enter(sent).key();
    return entered == null ? null : key(entered, resources);
  }

  /**
   * Writes samples with times in milliseconds, and returns once the accepted ones are durable. Tags
   * that the dataset lists as resources become resource identifiers.
   *
   * @param insists whether integers must stay integers
   * @throws dev.varve.engine.OverloadedException if nothing was tried because too much waits
   * @throws dev.varve.engine.WriteFailedException if a store failed
   */
  public void write(Batch batch, boolean insists) {
    write(batch, insists, null);
  }

  /** Returns whether the dataset supports samples that expire. */
  public boolean endsSamples() {
    return dataset.endsSamples();
  }

  /**
   * Writes samples that expire.
   *
   * @param lifetime null for none; otherwise the dataset must support it
   */
  public void write(Batch batch, boolean insists, @Nullable Duration lifetime) {
    store(throughDoor(inResolution(batch)), insists, lifetime);
  }

  /**
   * Writes samples with times in the resolution of the dataset.
   *
   * @param insists whether integers must stay integers
   */
  public void writeOwn(Batch batch, boolean insists) {
    store(throughDoor(batch), insists, null);
  }

  /**
   * Writes samples at whose instants the dataset has none, and compares all of them with what it
   * has then. Times are in the resolution of the dataset.
   *
   * @param insists whether integers must stay integers
   * @throws dev.varve.engine.OverloadedException if nothing was tried because too much waits
   * @throws dev.varve.engine.WriteFailedException if a store failed
   */
  public FillResult fill(Batch batch, boolean insists) {
    long start = System.nanoTime();
    int before = coerced;
    FillResult result = dataset.fill(asStored(batch, insists));
    count(result.written(), coerced - before, start);
    return result;
  }

  /** Compares samples, as they would be stored, with what the dataset has at their instants. */
  public List<FillResult.Day> compare(Batch batch, boolean insists) {
    return dataset.compare(asStored(batch, insists));
  }

  /**
   * Like {@link #write(Batch, boolean)}, for samples with keys from {@link #enter}, which do not
   * pass the door again.
   */
  public void writeEntered(Batch batch) {
    store(inResolution(batch), false, null);
  }

  private void store(Batch entered, boolean insists, @Nullable Duration lifetime) {
    int before = coerced;
    Batch stored = inHeldKinds(entered, insists);
    if (!stored.groups().isEmpty() || !stored.attributes().isEmpty()) {
      write(stored, coerced - before, lifetime);
    }
  }

  /**
   * Returns the batch that the dataset would be asked to store, from samples with times in its
   * resolution. Samples that cannot be stored are refused.
   *
   * @param insists whether integers must stay integers
   */
  public Batch asStored(Batch batch, boolean insists) {
    return inHeldKinds(throughDoor(batch), insists);
  }

  private Batch inHeldKinds(Batch batch, boolean insists) {
    List<SampleGroup> groups = new ArrayList<>(batch.groups().size());
    for (SampleGroup group : batch.groups()) {
      SampleGroup own =
          resources.isEmpty()
              ? group
              : new SampleGroup(
                  key(group.key(), resources), group.size(), group.times(), group.columns());
      groups.add(coercion.any() && !insists ? withDoubles(own) : own);
    }
    groups.removeIf(group -> group.size() == 0);
    return new Batch(groups, batch.attributes());
  }

  /** Returns the samples that pass the door, under their new keys. */
  private Batch throughDoor(Batch batch) {
    List<SampleGroup> groups = new ArrayList<>(batch.groups().size());
    for (SampleGroup group : batch.groups()) {
      GroupKey key = enter(group.key(), group.sampleCount());
      if (key != null) {
        groups.add(
            key.equals(group.key())
                ? group
                : new SampleGroup(key, group.size(), group.times(), group.columns()));
      }
    }
    return new Batch(groups, batch.attributes());
  }

  /**
   * Returns the key that the door gives a series; null if the series is dropped or refused, which
   * is recorded.
   *
   * @param samples number of samples of the key
   */
  public @Nullable GroupKey enter(GroupKey key, int samples) {
    Door.Entry entry = listener.door().enter(key);
    if (entry.key() != null) {
      return entry.key();
    }
    Refusal refusal = entry.refusal();
    if (refusal == null) {
      dropped += samples;
      listener.dropped(dataset.name(), dialect, samples);
    } else {
      refuse(new Rejection(key, null, null, refusal), samples, true);
    }
    return null;
  }

  /**
   * Stores metadata of metrics and returns once it is durable.
   *
   * @throws dev.varve.engine.WriteFailedException if a store failed
   */
  public void describe(Collection<MetricMetadata> metrics) {
    dataset.describe(metrics);
  }

  private void write(Batch batch, int converted, @Nullable Duration lifetime) {
    long start = System.nanoTime();
    count(
        lifetime == null ? dataset.write(batch) : dataset.write(batch, lifetime), converted, start);
  }

  private void count(WriteResult result, int converted, long start) {
    accepted += result.accepted();
    refused += result.refused();
    keep(result.rejections(), false);
    listener.written(dataset.name(), dialect, result, converted, System.nanoTime() - start);
  }

  /**
   * Turns tags with some names into resource identifiers, for writers that do not know resources.
   *
   * @param resources the names that the dataset lists
   */
  public static GroupKey key(GroupKey key, Set<String> resources) {
    if (resources.isEmpty() || key.tags().names().stream().noneMatch(resources::contains)) {
      return key;
    }
    Map<String, String> tags = new TreeMap<>();
    Map<String, String> resource = new TreeMap<>(key.resource().toMap());
    key.tags()
        .forEach((name, value) -> (resources.contains(name) ? resource : tags).put(name, value));
    return new GroupKey(key.metric(), Tags.of(tags), Tags.of(resource));
  }

  private Batch inResolution(Batch batch) {
    List<SampleGroup> groups = new ArrayList<>(batch.groups().size());
    for (SampleGroup group : batch.groups()) {
      groups.add(inResolution(group));
    }
    return new Batch(groups, batch.attributes());
  }

  private SampleGroup inResolution(SampleGroup group) {
    Resolution resolution = dataset.resolution();
    if (resolution == Resolution.MILLISECONDS) {
      return group;
    }
    long[] times = Arrays.copyOf(group.times(), group.size());
    boolean[] drop = new boolean[group.size()];
    boolean any = false;
    for (int i = 0; i < group.size(); i++) {
      try {
        long time = Resolution.MILLISECONDS.convert(times[i], resolution);
        if (resolution.convert(time, Resolution.MILLISECONDS) != times[i]) {
          throw new ArithmeticException();
        }
        times[i] = time;
      } catch (ArithmeticException e) {
        String message =
            "the dataset counts time in %s and cannot hold the millisecond %d"
                .formatted(resolution.symbol(), times[i]);
        refuse(new Rejection(group.key(), null, null, new Refusal(TOO_FINE, message)), 1, true);
        drop[i] = true;
        any = true;
      }
    }
    SampleGroup converted = new SampleGroup(group.key(), group.size(), times, group.columns());
    return any ? without(converted, drop) : converted;
  }

  /** Returns the group without some samples. */
  private static SampleGroup without(SampleGroup group, boolean[] drop) {
    BatchBuilder builder = new BatchBuilder();
    BatchBuilder.GroupBuilder kept = builder.group(group.key());
    for (Column column : group.columns()) {
      for (int i = 0; i < group.size(); i++) {
        if (!drop[i] && column.has(i)) {
          switch (column) {
            case Column.Doubles c -> kept.add(c.field(), group.times()[i], c.values()[i]);
            case Column.Longs c -> kept.add(c.field(), group.times()[i], c.values()[i]);
            case Column.Texts c ->
                kept.add(
                    c.field(),
                    group.times()[i],
                    Arrays.copyOfRange(c.bytes(), c.start(i), c.end(i)));
          }
        }
      }
    }
    List<SampleGroup> groups = builder.build().groups();
    return groups.isEmpty()
        ? new SampleGroup(group.key(), 0, new long[0], List.of())
        : groups.getFirst();
  }

  /** Turns integers into doubles if the dataset requires it. */
  private SampleGroup withDoubles(SampleGroup group) {
    if (group.columns().stream().noneMatch(Column.Longs.class::isInstance)) {
      return group;
    }
    BatchBuilder builder = new BatchBuilder();
    BatchBuilder.GroupBuilder kept = builder.group(group.key());
    for (int i = 0; i < group.size(); i++) {
      long time = group.times()[i];
      for (Column column : group.columns()) {
        if (column.has(i)) {
          add(kept, column, i, time, group.key());
        }
      }
    }
    List<SampleGroup> groups = builder.build().groups();
    return groups.isEmpty()
        ? new SampleGroup(group.key(), 0, new long[0], List.of())
        : groups.getFirst();
  }

  private void add(
      BatchBuilder.GroupBuilder kept, Column column, int index, long time, GroupKey key) {
    switch (column) {
      case Column.Doubles c -> kept.add(c.field(), time, c.values()[index]);
      case Column.Texts c ->
          kept.add(c.field(), time, Arrays.copyOfRange(c.bytes(), c.start(index), c.end(index)));
      case Column.Longs c -> {
        long value = c.values()[index];
        if (!coercion.applies(time)) {
          kept.add(c.field(), time, value);
        } else if (Coercion.isExact(value)) {
          coerced++;
          kept.add(c.field(), time, (double) value);
        } else {
          refuse(new Rejection(key, c.field(), time, Coercion.inexact(value)), 1, false);
        }
      }
    }
  }

  private void refuse(Rejection rejection, int samples, boolean sent) {
    refused += samples;
    keep(List.of(rejection), sent);
    report(
        rejection.refusal().rule(),
        samples,
        () -> rejection.key() + ": " + rejection.refusal().message());
  }

  /**
   * Counts and logs input that a reader has refused before it became a sample. {@link #refused()}
   * does not count it.
   *
   * @param rule the broken rule; one of a few fixed names
   * @param example describes one of them with the reason
   */
  public void report(String rule, long count, Supplier<String> example) {
    if (count > 0) {
      listener.refused(dataset.name(), dialect, rule, count, example);
    }
  }

  private void keep(List<Rejection> more, boolean sent) {
    for (Rejection rejection : more) {
      if (rejections.size() < WriteResult.REJECTIONS_MAX
          && memory.tryHold(
              REJECTION_BYTES
                  + rejection.key().byteCount()
                  + 2L * rejection.refusal().message().length())) {
        asSent.set(rejections.size(), sent);
        rejections.add(rejection);
      }
    }
  }
}
