package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.config.FieldLimits;
import dev.varve.engine.request.WriteResult;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FieldLimitsTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));
  private static final long TIME = 1_700_000_000_000L;

  @TempDir private Path directory;

  private Engine open(FieldLimits limits) {
    DatasetConfig dataset =
        new DatasetConfig(
            "main",
            new StoreConfig("rocksdb", Map.of()),
            List.of(new PeriodConfig(Instant.MIN, List.of(TestEngine.layout("buckets")))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false);
    return Engine.open(
        new EngineConfig(
            directory, 32L << 20, List.of(dataset), "main", limits, EngineConfig.DEFAULT_CATALOG));
  }

  private static WriteResult write(Engine engine, GroupKey key, int from, int to) {
    BatchBuilder batch = new BatchBuilder();
    for (int field = from; field < to; field++) {
      batch.add(key, "f" + field, TIME, new Value.Real(field));
    }
    return engine.defaultDataset().write(batch.build());
  }

  @Test
  void newFieldsBeyondTheLimitOfASeriesAreRefusedAndTheRestIsKept() {
    try (Engine engine = open(new FieldLimits(10, 100))) {
      WriteResult result = write(engine, KEY, 0, 25);
      assertThat(result.accepted()).isEqualTo(10);
      assertThat(result.refusedByRule()).containsExactly(Map.entry("fields.series", 15));
      assertThat(result.rejections().getFirst().refusal().message())
          .isEqualTo("the series has 10 fields, at most 10 are taken (write.fields)");
      assertThat(write(engine, KEY, 0, 10).refused()).isZero();
      assertThat(write(engine, KEY, 9, 12).accepted()).isEqualTo(1);
      WriteResult another = write(engine, GroupKey.of("m", Tags.of("host", "b")), 10, 20);
      assertThat(another.refused()).isZero();
    }
  }

  @Test
  void theDefaultFieldDoesNotCount() {
    try (Engine engine = open(new FieldLimits(1, 1))) {
      assertThat(write(engine, KEY, 0, 1).refused()).isZero();
      BatchBuilder batch = new BatchBuilder();
      batch.add(KEY, Series.DEFAULT_FIELD, TIME, new Value.Real(1.5));
      assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
      assertThat(write(engine, KEY, 1, 2).refusedByRule()).containsOnlyKeys("fields.series");
    }
  }

  @Test
  void newFieldsBeyondTheLimitOfAMetricAreRefusedForAllItsSeries() {
    try (Engine engine = open(new FieldLimits(10, 15))) {
      assertThat(write(engine, KEY, 0, 10).refused()).isZero();
      GroupKey other = GroupKey.of("m", Tags.of("host", "b"));
      WriteResult result = write(engine, other, 5, 25);
      // Five existing fields of the metric and five new ones reach the limit of the series.
      assertThat(result.accepted()).isEqualTo(10);
      GroupKey third = GroupKey.of("m", Tags.of("host", "c"));
      result = write(engine, third, 14, 18);
      assertThat(result.accepted()).isEqualTo(1);
      assertThat(result.refusedByRule()).containsExactly(Map.entry("fields.metric", 3));
      assertThat(write(engine, GroupKey.of("n", Tags.EMPTY), 20, 25).refused()).isZero();
    }
  }

  /** 12,000 fields took gigabytes when all intermediate sets were kept. */
  @Test
  void aDirectoryWithASeriesOfManyFieldsOpensInLittleMemoryAndStaysReadable() {
    int fields = 12_000;
    try (Engine engine = open(new FieldLimits(fields, fields))) {
      assertThat(write(engine, KEY, 0, fields).refused()).isZero();
      assertLittleMemory(engine);
    }
    try (Engine engine = open(FieldLimits.DEFAULTS)) {
      assertLittleMemory(engine);
      assertThat(engine.defaultDataset().catalog().series(Selector.metric("m"), null))
          .hasSize(fields);
      assertThat(write(engine, KEY, 0, fields).refused()).isZero();
      assertThat(write(engine, KEY, fields, fields + 1).refusedByRule())
          .containsOnlyKeys("fields.series");
    }
  }

  private static void assertLittleMemory(Engine engine) {
    assertThat(engine.defaultDataset().parts().figures().get("catalog_memory_bytes"))
        .isLessThan(8.0 * (1 << 20));
  }
}
