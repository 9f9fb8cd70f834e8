package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Writers and a reader of a dataset whose store fails and recovers. The outcome reported for every
 * point is recorded, and every read is checked against it.
 */
public final class OutageStory implements AutoCloseable {
  private static final Duration WAIT_MAX = Duration.ofMinutes(2);
  private static final long START_SECONDS = 1_700_000_000;
  private static final int WRITERS = 4;

  /** Number of series per write of odd-numbered writers. Even-numbered ones write one series. */
  private static final int TOGETHER = 3;

  private static final int SERIES_POINTS = 50;
  private static final int SOME_POINTS = 300;
  private static final int SOME_READS = 3;
  private static final Selector ALL = Selector.metric("m");

  /** Makes the store fail and recover. */
  public interface Outage {
    void begin() throws Exception;

    void end() throws Exception;
  }

  /** The outcome of a point as reported to its writer. */
  private enum Outcome {
    /** The point is stored. */
    STORED,
    /** No outcome yet, or an unknown one. */
    UNKNOWN,
    /** The point is not stored. */
    NOT_STORED
  }

  private record Point(Series series, long time) {}

  private final EngineConfig config;
  private final Map<Point, Outcome> outcomes = new ConcurrentHashMap<>();
  private final Map<Point, Value> values = new ConcurrentHashMap<>();
  private final AtomicInteger stored = new AtomicInteger();
  private final AtomicInteger failedWrites = new AtomicInteger();
  private final AtomicInteger unknownWrites = new AtomicInteger();
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger failedReads = new AtomicInteger();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Future<?>> running = new ArrayList<>();
  private Engine engine;

  /**
   * Opens a new dataset.
   *
   * @param directory directory of the engine
   * @param store a store with short timeouts, so that some calls time out during an outage
   */
  public OutageStory(Path directory, StoreConfig store, String layout) {
    DatasetConfig dataset =
        new DatasetConfig(
            "outage",
            store,
            List.of(new PeriodConfig(Instant.MIN, List.of(Layouts.of(layout, Map.of())))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false);
    config =
        new EngineConfig(directory, EngineConfig.DEFAULT_MEMORY, List.of(dataset), dataset.name());
    engine = open();
  }

  /** Opens the engine. Timeouts are so short that the first calls may fail on a busy machine. */
  private Engine open() {
    return await()
        .atMost(WAIT_MAX)
        .ignoreExceptionsInstanceOf(StoreException.class)
        .until(() -> Engine.open(config), any -> true);
  }

  /** Writes and reads before, during and after complete outages, then reads everything. */
  public void run(Outage outage, int rounds) throws Exception {
    begin();
    for (int round = 0; round < rounds; round++) {
      awaitMore();
      outage.begin();
      awaitFailures();
      outage.end();
    }
    awaitMore();
    end();
  }

  /** Starts writers and the reader. */
  public void begin() {
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      running.add(threads.submit(() -> write(writer)));
    }
    running.add(threads.submit(this::readAgainAndAgain));
  }

  /** Waits until further points are stored and further reads have succeeded. */
  public void awaitMore() {
    int points = stored.get() + SOME_POINTS;
    int good = reads.get() + SOME_READS;
    awaitThat(() -> stored.get() > points && reads.get() > good);
  }

  /** Waits until a further write and a further read have failed. */
  public void awaitFailures() {
    int writes = failedWrites.get();
    int failed = failedReads.get();
    awaitThat(() -> failedWrites.get() > writes && failedReads.get() > failed);
  }

  /**
   * Stops and reads everything, before and after a restart. Requires that some writes had unknown
   * outcomes.
   */
  public void end() throws Exception {
    stop.set(true);
    for (Future<?> end : running) {
      end.get();
    }
    assertThat(unknownWrites).as("writes of unknown outcome").hasPositiveValue();
    checkAll("by the server that was there before");
    engine.close();
    engine = open();
    checkAll("after a restart of the server");
  }

  private void awaitThat(BooleanSupplier condition) {
    await()
        .atMost(WAIT_MAX)
        .until(() -> {
          for (Future<?> one : running) {
            if (one.isDone()) {
              one.get();
            }
          }
          return condition.getAsBoolean();
        });
  }

  /**
   * Writes points. Writers of single points do not retry failures; writers of several points retry
   * until the points are stored.
   */
  private void write(int writer) {
    boolean alone = writer % 2 == 0;
    int part = 0;
    for (int number = writer; !stop.get(); number += WRITERS) {
      List<Point> points = new ArrayList<>();
      Batch batch = batch(writer, part / SERIES_POINTS, number, alone ? 1 : TOGETHER, points);
      boolean stands = write(batch, points);
      while (!stands && !alone && !stop.get()) {
        stands = write(batch, points);
      }
      // After a failure the writer continues with a new series, which must be added to the catalog
      // first.
      part += stands ? 1 : SERIES_POINTS;
    }
  }

  private Batch batch(int writer, int part, int number, int size, List<Point> points) {
    BatchBuilder batch = new BatchBuilder();
    long time = Resolution.SECONDS.convert(START_SECONDS + number, dataset().resolution());
    for (int i = 0; i < size; i++) {
      GroupKey key =
          GroupKey.of(
              "m", Tags.of("writer", "w" + writer, "part", "p" + part, "together", "t" + i));
      Point point = new Point(key.field(Series.DEFAULT_FIELD), time);
      Value value = new Value.Real(number + i / 8.0);
      values.put(point, value);
      outcomes.put(point, Outcome.UNKNOWN);
      points.add(point);
      batch.add(key, time, value);
    }
    return batch.build();
  }

  private boolean write(Batch batch, List<Point> points) {
    try {
      assertThat(dataset().write(batch).rejections()).isEmpty();
      points.forEach(point -> outcomes.put(point, Outcome.STORED));
      stored.addAndGet(points.size());
      return true;
    } catch (WriteFailedException e) {
      assertThat(e.getMessage()).isNotBlank();
      if (e.unknown()) {
        unknownWrites.incrementAndGet();
      } else if (points.size() == 1) {
        outcomes.put(points.getFirst(), Outcome.NOT_STORED);
      }
      failedWrites.incrementAndGet();
      return false;
    }
  }

  /**
   * A read either throws a declared exception or finds everything acknowledged before it started.
   */
  private Void readAgainAndAgain() throws InterruptedException {
    while (!stop.get()) {
      Set<Point> before = pointsOf(Outcome.STORED);
      try {
        check(before, read(), "while it is written");
        reads.incrementAndGet();
      } catch (StoreException e) {
        assertThat(e.getMessage()).isNotBlank();
        failedReads.incrementAndGet();
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
    return null;
  }

  private void checkAll(String who) {
    Map<Point, Value> found = read();
    check(pointsOf(Outcome.STORED), found, who);
    assertThat(pointsOf(Outcome.NOT_STORED))
        .as("points that were reported as not stored, read %s", who)
        .noneMatch(found::containsKey);
  }

  private void check(Set<Point> acknowledged, Map<Point, Value> found, String who) {
    Set<Point> missing = new HashSet<>(acknowledged);
    missing.removeAll(found.keySet());
    assertThat(missing)
        .as("of %d acknowledged points missing, read %s", acknowledged.size(), who)
        .isEmpty();
    found.forEach((point, value) ->
        assertThat(value).as("%s, read %s", point, who).isEqualTo(values.get(point)));
  }

  private Set<Point> pointsOf(Outcome what) {
    Set<Point> some = new HashSet<>();
    outcomes.forEach((point, was) -> {
      if (was == what) {
        some.add(point);
      }
    });
    return some;
  }

  private Dataset dataset() {
    return engine.defaultDataset();
  }

  private Map<Point, Value> read() {
    Map<Point, Value> found = new HashMap<>();
    try (RunCursor cursor = dataset().read(ReadRequest.of(ALL, TimeRange.ALL))) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        for (int i = 0; i < run.samples().size(); i++) {
          Point point = new Point(run.series(), run.samples().time(i));
          assertThat(found.put(point, run.samples().value(i))).as("%s twice", point).isNull();
        }
      }
    }
    return found;
  }

  @Override
  public void close() {
    stop.set(true);
    threads.close();
    engine.close();
  }
}
