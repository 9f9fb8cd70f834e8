package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckFinding.Severity;
import dev.varve.engine.check.CheckRun;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots of datasets in two RocksDB stores while both are written to. */
class SnapshotsTest {
  private static final ReadRequest ALL = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
  private static final int WRITERS = 4;

  @TempDir Path directory;

  @Test
  void holdWhatWasAcknowledgedBeforeAndNothingThatWasNotWritten() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong[] acknowledged = new AtomicLong[WRITERS];
    List<long[]> before = new ArrayList<>();
    List<Snapshot> made = new ArrayList<>();
    long[] written = new long[WRITERS];
    try (Engine engine = Engine.open(config(directory));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> running = new ArrayList<>();
      for (int writer = 0; writer < WRITERS; writer++) {
        acknowledged[writer] = new AtomicLong();
        int number = writer;
        running.add(
            threads.submit(() -> {
              while (!stop.get()) {
                write(engine, number, acknowledged[number].get());
                acknowledged[number].incrementAndGet();
              }
            }));
      }
      for (int i = 0; i < 4; i++) {
        long[] last = before.isEmpty() ? new long[WRITERS] : before.getLast();
        await()
            .until(
                () -> IntStream.range(0, WRITERS).allMatch(w -> acknowledged[w].get() > last[w]));
        before.add(counts(acknowledged));
        made.add(engine.snapshots().create());
      }
      stop.set(true);
      for (Future<?> writer : running) {
        writer.get();
      }
      written = counts(acknowledged);
    }
    for (int i = 0; i < made.size(); i++) {
      ensureHolds(made.get(i).directory(), before.get(i), written);
    }
    assertThat(before.getLast()[0]).isPositive();
  }

  @Test
  void areListedWhileOthersAreDeleted() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    try (Engine engine = Engine.open(config(directory));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Snapshots snapshots = engine.snapshots();
      Snapshot stays = snapshots.create();
      Future<?> lists =
          threads.submit(() -> {
            while (!stop.get()) {
              assertThat(snapshots.list()).extracting(Snapshot::name).contains(stays.name());
            }
          });
      for (int i = 0; i < 15; i++) {
        assertThat(snapshots.delete(snapshots.create().name())).isTrue();
      }
      stop.set(true);
      lists.get();
    }
  }

  private void ensureHolds(Path snapshot, long[] atLeast, long[] atMost) {
    List<CheckFinding> findings = new ArrayList<>();
    Engine.check(config(snapshot), new CheckRun(0, progress -> {}, findings::add, () -> false));
    assertThat(findings).noneMatch(finding -> finding.severity() == Severity.DAMAGE);
    try (Engine engine = Engine.open(config(snapshot))) {
      assertThat(engine.damage()).isEmpty();
      for (int writer = 0; writer < WRITERS; writer++) {
        Dataset dataset = engine.dataset(writer % 2 == 0 ? "blocks" : "cells");
        Map<Series, List<Sample>> read = TestEngine.read(dataset, ALL);
        List<Sample> samples =
            read.getOrDefault(key(writer, 0).field(Series.DEFAULT_FIELD), List.of());
        assertThat((long) samples.size()).isBetween(atLeast[writer], atMost[writer]);
        for (int i = 0; i < samples.size(); i++) {
          assertThat(samples.get(i)).isEqualTo(new Sample(i, new Value.Int64(i)));
        }
        for (long fresh = 0; fresh < atLeast[writer]; fresh++) {
          assertThat(read).containsKey(key(writer, 1 + fresh).field(Series.DEFAULT_FIELD));
        }
      }
    }
  }

  /** Writes the next sample of a series and the only one of a new series. */
  private static void write(Engine engine, int writer, long time) {
    BatchBuilder batch = new BatchBuilder();
    batch.add(key(writer, 0), time, new Value.Int64(time));
    batch.add(key(writer, 1 + time), time, new Value.Int64(time));
    Dataset dataset = engine.dataset(writer % 2 == 0 ? "blocks" : "cells");
    assertThat(dataset.write(batch.build()).accepted()).isEqualTo(2);
  }

  private static GroupKey key(int writer, long series) {
    return GroupKey.of("m", Tags.of("writer", "w" + writer, "series", "s" + series));
  }

  private static long[] counts(AtomicLong[] acknowledged) {
    long[] counts = new long[acknowledged.length];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = acknowledged[i].get();
    }
    return counts;
  }

  @Test
  void areListedAndDeleted() {
    try (Engine engine = Engine.open(config(directory))) {
      write(engine, 0, 0);
      Snapshots snapshots = engine.snapshots();
      assertThat(snapshots.list()).isEmpty();
      Snapshot first = snapshots.create();
      Snapshot second = snapshots.create();
      assertThat(snapshots.list()).containsExactlyInAnyOrder(first, second);
      assertThat(first.bytes()).isPositive();
      assertThat(snapshots.delete(first.name())).isTrue();
      assertThat(snapshots.delete(first.name())).isFalse();
      assertThat(snapshots.delete("../rocksdb")).isFalse();
      assertThat(first.directory()).doesNotExist();
      assertThat(snapshots.deleteAll()).isEqualTo(1);
      assertThat(snapshots.list()).isEmpty();
      assertThat(TestEngine.read(engine.dataset("blocks"), ALL)).hasSize(2);
    }
  }

  @Test
  void removeWhatAKilledOneLeft() throws Exception {
    Path rest = directory.resolve("snapshots/20260101000000-0000000000000000.partial");
    Files.createDirectories(rest.resolve("rocksdb"));
    Files.writeString(rest.resolve("rocksdb/file"), "x");
    try (Engine engine = Engine.open(config(directory))) {
      assertThat(engine.snapshots().list()).isEmpty();
      assertThat(engine.snapshots().create().directory()).isDirectory();
    }
    assertThat(rest).doesNotExist();
  }

  @Test
  void areRefusedWhereNothingIsKept() {
    DatasetConfig memory = TestEngine.dataset("main", new BlockLayout(Resolution.MILLISECONDS));
    try (Engine engine =
        Engine.open(new EngineConfig(directory, 32L << 20, List.of(memory), "main"))) {
      assertThatThrownBy(() -> engine.snapshots().create())
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("no dataset keeps files in the data directory");
    }
    assertThat(directory.resolve("snapshots")).isEmptyDirectory();
  }

  private static EngineConfig config(Path data) {
    return new EngineConfig(
        data,
        32L << 20,
        List.of(
            dataset("blocks", new BlockLayout(Resolution.MILLISECONDS), Map.of()),
            dataset("cells", Layouts.of("buckets", Map.of()), Map.of("compression", "zstd"))),
        "blocks");
  }

  private static DatasetConfig dataset(
      String name, StorageLayout layout, Map<String, String> options) {
    DatasetConfig plain = TestEngine.dataset(name, layout);
    return new DatasetConfig(
        name,
        new StoreConfig("rocksdb", options),
        plain.periods(),
        null,
        plain.duplicates(),
        plain.resources(),
        false);
  }
}
