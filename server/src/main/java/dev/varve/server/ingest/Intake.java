package dev.varve.server.ingest;

import dev.varve.engine.Dataset;
import dev.varve.engine.WriteResult;
import dev.varve.engine.WriteResult.Rejection;
import dev.varve.layout.Refusal;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
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

/**
 * Writes what one request or connection brings to one dataset. Not safe for use by several threads.
 */
public final class Intake {
  /** So many samples make a batch worth writing; a request may hold many more. */
  public static final int BATCH = 16 << 10;

  /** The rule by which a time is refused that the dataset's resolution cannot hold. */
  public static final String TOO_FINE = "time.resolution";

  /** The rule by which a line, a point or a body is refused that cannot be read. */
  public static final String SYNTAX = "syntax";

  /** So many bytes of columns make a batch worth writing, where the budget is large. */
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

  /** Which of them name a key as it was sent. */
  private final BitSet asSent = new BitSet();

  private long accepted;
  private long refused;
  private long dropped;
  private int coerced;

  /** An intake of what no client brings. */
  public Intake(Dataset dataset, String dialect, IngestListener listener) {
    this(dataset, dialect, listener, WriteBudget.unlimited());
  }

  /**
   * Prepares to write.
   *
   * @param memory counts the columns of batches until they are written
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

  /** What counts that which is held of what this writes. */
  public Reservation memory() {
    return memory;
  }

  /** An empty batch, whose columns are reserved as it grows. */
  public BatchBuilder newBatch() {
    return new BatchBuilder(memory::hold);
  }

  /** Whether a batch is worth writing, for its samples or its bytes. */
  public boolean isFull(BatchBuilder batch) {
    return batch.sampleCount() >= BATCH || batch.byteCount() >= batchBytes;
  }

  /**
   * The same as {@link #write(Batch, boolean)} for a batch of {@link #newBatch}, which is empty
   * afterwards and counts no more.
   */
  public void write(BatchBuilder batch, boolean insists) {
    write(batch, insists, null);
  }

  /** The same for samples that end. */
  public void write(BatchBuilder batch, boolean insists, @Nullable Duration lifetime) {
    counted(batch, full -> write(full, insists, lifetime));
  }

  /** The same as {@link #writeOwn(Batch, boolean)} for a batch of {@link #newBatch}. */
  public void writeOwn(BatchBuilder batch, boolean insists) {
    counted(batch, full -> writeOwn(full, insists));
  }

  private void counted(BatchBuilder batch, Consumer<Batch> writing) {
    boolean copies = coercion.any() || dataset.resolution() != Resolution.MILLISECONDS;
    // What times and values are converted into is there beside them.
    long bytes = batch.byteCount() * (copies ? 2 : 1);
    memory.hold(bytes - batch.byteCount());
    try {
      writing.accept(batch.build());
    } finally {
      memory.letGo(bytes);
    }
  }

  /** Whether integers become doubles at some times, unless their sender insists. */
  public boolean coerces() {
    return coercion.any();
  }

  /** How many samples are durable. */
  public long accepted() {
    return accepted;
  }

  /** How many samples were not taken, and never will be as they are. */
  public long refused() {
    return refused;
  }

  /** How many samples the rules at the door have dropped. */
  public long dropped() {
    return dropped;
  }

  /** How many integers were stored as doubles. */
  public int coerced() {
    return coerced;
  }

  /** The first of the refused, with their reasons. */
  public List<Rejection> rejections() {
    return rejections;
  }

  /**
   * Whether a rejection names a key as it was sent; else as it would be stored.
   *
   * @param index of the rejection
   */
  public boolean isAsSent(int index) {
    return asSent.get(index);
  }

  /** The key under which samples are stored; null where they do not come in. */
  public @Nullable GroupKey stored(GroupKey sent) {
    GroupKey entered = listener.door().enter(sent).key();
    return entered == null ? null : key(entered, resources);
  }

  /**
   * Writes samples whose times are in milliseconds and returns once what is accepted is durable.
   * Tags that the dataset names as resources become such.
   *
   * @param insists whether integers have to stay integers
   * @throws dev.varve.engine.OverloadedException if nothing was tried because too much waits
   * @throws dev.varve.engine.WriteFailedException if a store failed
   */
  public void write(Batch batch, boolean insists) {
    write(batch, insists, null);
  }

  /** Whether the dataset can give samples a lifetime. */
  public boolean endsSamples() {
    return dataset.endsSamples();
  }

  /**
   * The same for samples that end.
   *
   * @param lifetime null for none; else the dataset can give one
   */
  public void write(Batch batch, boolean insists, @Nullable Duration lifetime) {
    store(throughDoor(inResolution(batch)), insists, lifetime);
  }

  /**
   * The same for samples whose times are in the resolution of the dataset.
   *
   * @param insists whether integers have to stay integers
   */
  public void writeOwn(Batch batch, boolean insists) {
    store(throughDoor(batch), insists, null);
  }

  /**
   * The same as {@link #write(Batch, boolean)} for samples under keys that {@link #enter} has
   * given, which do not pass the door once more.
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
   * What the dataset is asked to store of samples whose times are in its resolution; what cannot be
   * stored is refused.
   *
   * @param insists whether integers have to stay integers
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

  /** The samples that come in, under the keys that the door gives them. */
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
   * The key that the door gives a series; null where it does not come in, which is noted.
   *
   * @param samples that come under the key
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
   * Keeps what a sender says of metrics and returns once it is durable.
   *
   * @throws dev.varve.engine.WriteFailedException if a store failed
   */
  public void describe(Collection<MetricMetadata> metrics) {
    dataset.describe(metrics);
  }

  private void write(Batch batch, int converted, @Nullable Duration lifetime) {
    long start = System.nanoTime();
    WriteResult result = lifetime == null ? dataset.write(batch) : dataset.write(batch, lifetime);
    accepted += result.accepted();
    refused += result.refused();
    keep(result.rejections(), false);
    listener.written(dataset.name(), dialect, result, converted, System.nanoTime() - start);
  }

  /**
   * Makes tags with some names resource identifiers, for writers that know no resource.
   *
   * @param resources the names, as the dataset lists them
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

  /** The group without some places. */
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

  /** Turns integers into doubles where the dataset wants that. */
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
   * Counts and logs what a reader has refused before it became a sample. {@link #refused()} does
   * not count it.
   *
   * @param rule that it broke; one of a few fixed names
   * @param example describes one of them, and why
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
