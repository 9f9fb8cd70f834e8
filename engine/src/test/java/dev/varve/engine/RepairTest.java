package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.check.AffectedSeries;
import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckRun;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.StoreException;
import dev.varve.store.contract.CrashImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damages a directory, repairs it, and opens it again. */
class RepairTest {
  private static final ReadRequest ALL = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
  private static final long START = 1_700_000_000_000L;

  @TempDir Path directory;
  @TempDir Path copy;

  private final List<CheckFinding> found = new ArrayList<>();

  @Test
  void leavesASoundDirectoryAlone() {
    write("buckets");
    var before = all("buckets");
    Repaired repaired = repair("buckets");
    assertThat(repaired).isEqualTo(new Repaired(0, true, List.of()));
    assertThat(all("buckets")).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"blocks", "buckets", "heroic", "kairosdb", "tall-narrow"})
  void everySampleOutsideOfWhatIsListedAnswersAsBefore(String layout) throws IOException {
    write(layout);
    var before = all(layout);
    Path file = tables().getFirst();
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length * 6 / 10] ^= 1;
    Files.write(file, bytes);
    Repaired repaired = repair(layout);
    assertThat(repaired.sound()).isTrue();
    // At either end of what is lost, half a block of samples may be left.
    assertThat(repaired.damages()).isBetween(1L, layout.equals("blocks") ? 3L : 1L);
    assertThat(repaired.kept())
        .singleElement()
        .satisfies(folder -> assertThat(folder.resolve(file.getFileName())).exists());
    assertNothingElseIsLost(before, all(layout));
    assertThat(repair(layout).damages()).isZero();
  }

  private void assertNothingElseIsLost(
      Map<Series, List<Sample>> before, Map<Series, List<Sample>> after) {
    List<AffectedSeries> affected = found.stream().flatMap(one -> one.affected().stream()).toList();
    assertThat(affected).isNotEmpty();
    before.forEach((series, samples) -> {
      List<Sample> left = after.getOrDefault(series, List.of());
      assertThat(samples).containsAll(left);
      for (Sample sample : samples) {
        if (!left.contains(sample)) {
          assertThat(affected).anyMatch(one -> holds(one, series, sample.time()));
        }
      }
    });
  }

  /** The first block contains the clock, the identity of the dataset, and part of the catalog. */
  @Test
  void catalogThatIsLostIsRebuiltFromTheRows() throws IOException {
    write("buckets");
    var before = all("buckets");
    for (Path file : tables()) {
      byte[] bytes = Files.readAllBytes(file);
      bytes[40] ^= 1;
      Files.write(file, bytes);
    }
    assertThatThrownBy(() -> Engine.open(config("buckets")).close())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("varve check");
    assertThat(repair("buckets").sound()).isTrue();
    var after = all("buckets");
    assertThat(after).hasSameSizeAs(before);
    assertNothingElseIsLost(before, after);
  }

  @ParameterizedTest
  @ValueSource(strings = {"blocks", "buckets"})
  void logWithLostSeriesHasTheCatalogRebuilt(String layout) throws IOException {
    write(layout);
    try (Engine engine = Engine.open(config(layout))) {
      for (int i = 0; i < 20; i++) {
        put(engine, "new" + i % 2, START + 1000L * i);
      }
      CrashImage.copy(directory, copy);
    }
    Path log;
    try (Stream<Path> files = Files.list(copy.resolve("rocksdb"))) {
      log =
          files
              .filter(one -> one.toString().endsWith(".log"))
              .max(Comparator.naturalOrder())
              .orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(log);
    bytes[bytes.length / 10] ^= 1;
    Files.write(log, bytes);
    EngineConfig config = new EngineConfig(copy, 32L << 20, config(layout).datasets(), "main");
    run(config);
    assertThat(found).isNotEmpty();
    try (Engine engine = Engine.open(config)) {
      // Blocks have the samples of a series whose name the catalog has lost under its number.
      Selector names =
          new Selector(
              List.of(
                  new TagFilter.In("__name__", new TreeSet<>(List.of("n", SeriesNumbers.LOST)))));
      ReadRequest fresh = ReadRequest.of(names, TimeRange.ALL);
      assertThat(
              TestEngine.read(engine.defaultDataset(), fresh).values().stream()
                  .mapToInt(List::size)
                  .sum())
          .isGreaterThan(15);
    }
  }

  private static boolean holds(AffectedSeries affected, Series series, long time) {
    Instant at = Instant.ofEpochMilli(time);
    return affected.series().equals(series.toString())
        && !at.isBefore(affected.from())
        && !at.isAfter(affected.to());
  }

  private List<Path> tables() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("rocksdb"))) {
      return files
          .filter(file -> file.toString().endsWith(".sst"))
          .sorted(Comparator.comparingLong((Path file) -> file.toFile().length()).reversed())
          .toList();
    }
  }

  private EngineConfig config(String layout) {
    DatasetConfig dataset = DatasetConfig.of("main", Layouts.stored(layout, Map.of()).getFirst());
    return new EngineConfig(directory, 32L << 20, List.of(dataset), "main");
  }

  /** Every open writes the previous log to a file. */
  private void write(String layout) {
    Random random = new Random(5);
    for (int life = 0; life < 2; life++) {
      try (Engine engine = Engine.open(config(layout))) {
        BatchBuilder batch = new BatchBuilder();
        for (int i = 0; i < 10_000; i++) {
          batch.add(
              GroupKey.of("m", Tags.of("host", "h" + random.nextInt(5))),
              START + 1000L * (life * 10_000_000L + i * 1000L),
              new Value.Real(random.nextDouble()));
        }
        assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
      }
    }
    Engine.open(config(layout)).close();
  }

  private static void put(Engine engine, String host, long time) {
    BatchBuilder batch = new BatchBuilder();
    batch.add(GroupKey.of("n", Tags.of("host", host)), time, new Value.Real(time));
    assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
  }

  private Map<Series, List<Sample>> all(String layout) {
    try (Engine engine = Engine.open(config(layout))) {
      return TestEngine.read(engine.defaultDataset(), ALL);
    }
  }

  private Repaired repair(String layout) {
    return run(config(layout));
  }

  private Repaired run(EngineConfig config) {
    return Engine.repair(config, new CheckRun(0, now -> {}, found::add, () -> false));
  }
}
