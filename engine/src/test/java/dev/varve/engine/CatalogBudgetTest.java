package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.config.FieldLimits;
import dev.varve.engine.request.WriteResult;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogBudgetTest {
  private static final long TIME = 1_700_000_000_000L;
  private static final long LIMIT = 8L << 20;

  @TempDir private Path directory;

  private Engine open(long catalog) {
    DatasetConfig dataset = DatasetConfig.of("main", TestEngine.layout("buckets"));
    return Engine.open(
        new EngineConfig(
            directory, 32L << 20, List.of(dataset), "main", FieldLimits.DEFAULTS, catalog));
  }

  private static GroupKey key(int number) {
    return GroupKey.of("m", Tags.of("host", "a rather long name of a host, number " + number));
  }

  private static WriteResult write(Engine engine, int from, int to) {
    BatchBuilder batch = new BatchBuilder();
    for (int series = from; series < to; series++) {
      batch.add(key(series), TIME, new Value.Real(series));
    }
    return engine.defaultDataset().write(batch.build());
  }

  /** Writes new series until some are refused; returns how many there are. */
  private static int fill(Engine engine) {
    for (int series = 0; ; series += 1000) {
      WriteResult result = write(engine, series, series + 1000);
      if (result.refused() > 0) {
        assertThat(result.refusedByRule()).containsOnlyKeys("catalog.memory");
        return series + result.accepted();
      }
      assertThat(series).as("series without a refusal").isLessThan(100_000);
    }
  }

  private static double figure(Engine engine, String name) {
    return Objects.requireNonNull(engine.defaultDataset().parts().figures().get(name), name);
  }

  @Test
  void newSeriesAreRefusedBeyondTheLimitAndKnownOnesAreWritten() {
    int accepted;
    try (Engine engine = open(LIMIT)) {
      accepted = fill(engine);
      assertThat(figure(engine, "catalog_memory_bytes")).isBetween(0.5 * LIMIT, 1.25 * LIMIT);
      assertThat(write(engine, 0, 1000).refused()).isZero();
      WriteResult refused = write(engine, 1_000_000, 1_001_000);
      assertThat(refused.refused()).isGreaterThan(900);
      assertThat(refused.rejections().getLast().refusal().message())
          .isEqualTo(
              "the catalogs have no room for new series, their memory is limited to 8 MiB (write.catalog)");
    }
    try (Engine engine = open(1)) {
      assertThat(figure(engine, "catalog_series")).isGreaterThanOrEqualTo(accepted);
      assertThat(write(engine, 0, 1000).refused()).as("samples of known series").isZero();
      assertThat(write(engine, 2_000_000, 2_000_001).refused()).isOne();
    }
  }

  @Test
  void newFieldsAndAttributesOfNewSeriesAreRefusedToo() {
    try (Engine engine = open(LIMIT)) {
      write(engine, 0, 10);
    }
    try (Engine engine = open(1)) {
      BatchBuilder fields = new BatchBuilder();
      fields.add(key(1), "value", TIME, new Value.Real(1));
      fields.add(key(1), "another", TIME, new Value.Real(1));
      WriteResult written = engine.defaultDataset().write(fields.build());
      assertThat(written.accepted()).isOne();
      assertThat(written.refusedByRule()).isEqualTo(Map.of("catalog.memory", 1));
      Attribute attribute = new Attribute(key(77), "owner", null, new Value.Text("me"));
      WriteResult noted = engine.defaultDataset().write(new Batch(List.of(), List.of(attribute)));
      assertThat(noted.refusedByRule()).isEqualTo(Map.of("catalog.memory", 1));
    }
  }
}
