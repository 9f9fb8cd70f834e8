package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.DatasetConfig.PeriodConfig;
import dev.varve.engine.DatasetConfig.StoreConfig;
import dev.varve.layout.Layouts;
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
 * Writers and a reader of a dataset whose store goes away and comes back. Of every point it is
 * known what its writer was told, and every read is held against that.
 */
public final class OutageStory implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long START_SECONDS = 1_700_000_000;
  private static final int WRITERS = 4;

  /** Writers with an odd number write so many series at once, the others one. */
  private static final int TOGETHER = 3;

  private static final int SERIES_POINTS = 50;
  private static final int SOME_POINTS = 300;
  private static final int SOME_READS = 3;
  private static final Selector ALL = Selector.metric("m");

  /** How the store goes away, and comes back. */
  public interface Outage {
    void begin() throws Exception;

    void end() throws Exception;
  }

  /** What the writer of a point was told of it. */
  private enum Told {
    /** That it stands. */
    STANDS,
    /** Nothing yet, or that it may stand or not. */
    MAYBE,
    /** That it surely does not stand. */
    NOT
  }

  private record Point(Series series, long time) {}

  private final EngineConfig config;
  private final Map<Point, Told> told = new ConcurrentHashMap<>();
  private final Map<Point, Value> values = new ConcurrentHashMap<>();
  private final AtomicInteger standing = new AtomicInteger();
  private final AtomicInteger failedWrites = new AtomicInteger();
  private final AtomicInteger unknownWrites = new AtomicInteger();
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger failedReads = new AtomicInteger();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Future<?>> running = new ArrayList<>();
  private Engine engine;

  /**
   * Opens a dataset that is new.
   *
   * @param directory of the engine
   * @param store whose calls end soon, so that some do while it is away
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

  /** Calls end so soon that on a busy machine the first ones fail. */
  private Engine open() {
    return await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(StoreException.class)
        .until(() -> Engine.open(config), any -> true);
  }

  /** Writes and reads before, during and after outages of everything; then asks for everything. */
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

  /** Begins to write and to read. */
  public void begin() {
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      running.add(threads.submit(() -> write(writer)));
    }
    running.add(threads.submit(this::readAgainAndAgain));
  }

  /** Waits until some points more stand, and some reads more have not failed. */
  public void awaitMore() {
    int points = standing.get() + SOME_POINTS;
    int good = reads.get() + SOME_READS;
    awaitThat(() -> standing.get() > points && reads.get() > good);
  }

  /** Waits until a write and a read more have failed. */
  public void awaitFailures() {
    int writes = failedWrites.get();
    int failed = failedReads.get();
    awaitThat(() -> failedWrites.get() > writes && failedReads.get() > failed);
  }

  /**
   * Stops, and asks for everything, also after a restart of the server. There have been writes of
   * which nobody knew the end.
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
        .atMost(PATIENCE)
        .until(() -> {
          for (Future<?> one : running) {
            if (one.isDone()) {
              one.get();
            }
          }
          return condition.getAsBoolean();
        });
  }

  /** Writers of one point leave it where it failed, those of several try again until it stands. */
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
      // Whatever fails is followed by a new series, which has to become known first.
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
      told.put(point, Told.MAYBE);
      points.add(point);
      batch.add(key, time, value);
    }
    return batch.build();
  }

  private boolean write(Batch batch, List<Point> points) {
    try {
      assertThat(dataset().write(batch).rejections()).isEmpty();
      points.forEach(point -> told.put(point, Told.STANDS));
      standing.addAndGet(points.size());
      return true;
    } catch (WriteFailedException e) {
      assertThat(e.getMessage()).isNotBlank();
      if (e.unknown()) {
        unknownWrites.incrementAndGet();
      } else if (points.size() == 1) {
        told.put(points.getFirst(), Told.NOT);
      }
      failedWrites.incrementAndGet();
      return false;
    }
  }

  /** A read fails as is declared, or finds whatever was acknowledged before it began. */
  private Void readAgainAndAgain() throws InterruptedException {
    while (!stop.get()) {
      Set<Point> before = those(Told.STANDS);
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
    check(those(Told.STANDS), found, who);
    assertThat(those(Told.NOT))
        .as("points of which was said that they do not stand, read %s", who)
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

  private Set<Point> those(Told what) {
    Set<Point> some = new HashSet<>();
    told.forEach((point, was) -> {
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
