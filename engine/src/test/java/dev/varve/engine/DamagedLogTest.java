package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.DamagedStoreException;
import dev.varve.store.StoreDamage;
import dev.varve.store.contract.CrashImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A single bad byte in a log with 20,000 acknowledged samples. */
class DamagedLogTest {
  private static final ReadRequest ALL = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
  private static final int BATCHES = 100;
  private static final int SAMPLES = 200;

  @TempDir Path directory;

  private static EngineConfig config(Path directory, String layout) {
    DatasetConfig dataset = DatasetConfig.of("main", Layouts.of(layout, Map.of()));
    return new EngineConfig(directory, 32L << 20, List.of(dataset), "main");
  }

  private static int samples(Engine engine) {
    // After a recovery with losses, the catalog is rebuilt from the rows.
    await().until(() -> engine.defaultDataset().isCatalogComplete());
    return TestEngine.read(engine.defaultDataset(), ALL).values().stream()
        .mapToInt(List::size)
        .sum();
  }

  /** Writes samples, then copies the directory as a crash would leave it. */
  private Path crashed(String layout) throws IOException {
    Path copy = directory.resolve("copy");
    try (Engine engine = Engine.open(config(directory.resolve("live"), layout))) {
      for (int number = 0; number < BATCHES; number++) {
        BatchBuilder batch = new BatchBuilder();
        for (int i = 0; i < SAMPLES; i++) {
          GroupKey key = GroupKey.of("m", Tags.of("host", "h" + i % 10));
          long time = 1_700_000_000_000L + 1000L * (number * SAMPLES + i);
          batch.add(key, time, new Value.Real(i));
        }
        assertThat(engine.defaultDataset().write(batch.build()).accepted()).isEqualTo(SAMPLES);
      }
      CrashImage.copy(directory.resolve("live"), copy);
    }
    return copy;
  }

  private static Path newestLog(Path data) throws IOException {
    try (Stream<Path> files = Files.list(data.resolve("rocksdb"))) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .max(Comparator.naturalOrder())
          .orElseThrow();
    }
  }

  private static void flipInTheMiddle(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
  }

  @Test
  void isRefusedAndRecoveredButForTheDamagedBatch() throws IOException {
    EngineConfig config = config(crashed("buckets"), "buckets");
    Path log = newestLog(config.directory());
    flipInTheMiddle(log);
    assertThatThrownBy(() -> Engine.open(config))
        .isInstanceOf(DamagedStoreException.class)
        .hasMessageContainingAll(
            log.toString(), "is damaged at byte", "edits follow", "varve serve --recover");

    int kept;
    try (Engine engine = Engine.recover(config)) {
      kept = samples(engine);
      assertThat(kept).isBetween((BATCHES - 2) * SAMPLES, BATCHES * SAMPLES - 1);
      FoundDamage found = engine.damage().getFirst();
      assertThat(found.store()).isEqualTo("rocksdb");
      StoreDamage damage = found.damage();
      assertThat(damage.kind()).isEqualTo(StoreDamage.Kind.LOG);
      assertThat(damage.lostEdits()).isPositive();
      assertThat(Objects.requireNonNull(damage.after()))
          .isBeforeOrEqualTo(Objects.requireNonNull(damage.before()));
      assertThat(Path.of(Objects.requireNonNull(damage.keptIn()))).isDirectory();
      assertThat(engine.figures())
          .containsEntry("store_recovery_damaged_logs_total{store=\"rocksdb\"}", 1.0)
          .containsEntry("store_recovery_kept_files_total{store=\"rocksdb\"}", 1.0)
          .containsEntry(
              "store_recovery_lost_edits_total{store=\"rocksdb\"}", (double) damage.lostEdits())
          .containsEntry(
              "store_recovery_lost_after_seconds{store=\"rocksdb\"}",
              Objects.requireNonNull(damage.after()).toEpochMilli() / 1000.0)
          .containsKey("store_recovery_lost_before_seconds{store=\"rocksdb\"}");
    }
    try (Engine engine = Engine.open(config)) {
      assertThat(samples(engine)).isEqualTo(kept);
      assertThat(engine.damage()).isEmpty();
    }
  }

  @Test
  void layoutThatCountsIsOpenedAsItWasBeforeTheDamage() throws IOException {
    EngineConfig config = config(crashed("opentsdb"), "opentsdb");
    flipInTheMiddle(newestLog(config.directory()));
    assertThatThrownBy(() -> Engine.open(config)).isInstanceOf(DamagedStoreException.class);
    try (Engine engine = Engine.recover(config)) {
      assertThat(samples(engine)).isBetween(1, BATCHES * SAMPLES * 3 / 4);
      assertThat(engine.damage().getFirst().damage().description())
          .contains("are left out, because tables of the store have counters");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "opentsdb"})
  void crashWithoutDamageLosesNothing(String layout) throws IOException {
    for (Path data : List.of(crashed(layout), directory.resolve("live"))) {
      try (Engine engine = Engine.open(config(data, layout))) {
        assertThat(samples(engine)).isEqualTo(BATCHES * SAMPLES);
        assertThat(engine.damage()).isEmpty();
      }
    }
  }
}
