package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.Dataset;
import dev.varve.engine.DatasetConfig;
import dev.varve.engine.DatasetConfig.PeriodConfig;
import dev.varve.engine.DatasetConfig.StoreConfig;
import dev.varve.engine.Engine;
import dev.varve.engine.EngineConfig;
import dev.varve.layout.Layout;
import dev.varve.layout.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Series;
import dev.varve.model.Value;
import dev.varve.query.QueryLimits;
import dev.varve.query.running.QueryUse;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Scripts over samples that every layout can hold give the same in all of them. */
class ScriptsInLayoutsTest {
  @TempDir private Path directory;

  static Stream<Arguments> layouts() {
    return Layouts.list().stream()
        .map(Layouts.Entry::name)
        .filter(name -> !name.equals("companion"))
        .flatMap(
            name -> Stream.of("layouts", "language").map(script -> Arguments.of(name, script)));
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void givesWhatTheScriptSays(String name, String script) {
    Layout layout = Layouts.of(name, Map.of());
    DatasetConfig dataset =
        new DatasetConfig(
            "main",
            new StoreConfig("memory", Map.of()),
            List.of(new PeriodConfig(Instant.MIN, List.of(layout))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false);
    EngineConfig config =
        new EngineConfig(directory, EngineConfig.DEFAULT_MEMORY, List.of(dataset), "main");
    try (Engine engine = Engine.open(config)) {
      String text = PromScriptsTest.text(script);
      assertThat(new PromScript(text, new InDataset(engine.defaultDataset())).run())
          .isGreaterThan(5);
    }
  }

  private record InDataset(Dataset dataset) implements PromScript.Subject {
    @Override
    public void clear() {
      throw new UnsupportedOperationException("a dataset keeps what it has");
    }

    @Override
    public void add(Series series, long time, double value) {
      long at = time / 1000 * dataset.resolution().perSecond();
      BatchBuilder batch = new BatchBuilder().add(series.key(), at, new Value.Real(value));
      assertThat(dataset.write(batch.build()).refused()).isZero();
    }

    /** Lately: some layouts have a retention. */
    @Override
    public long origin() {
      return Instant.now().minus(2, ChronoUnit.DAYS).truncatedTo(ChronoUnit.DAYS).toEpochMilli();
    }

    /** Every query reads a store here, and the time of a query is nothing to a layout. */
    @Override
    public boolean asksAtOtherTimes() {
      return false;
    }

    @Override
    public PromQuery query(String expression) {
      return new PromQuery(
          expression, dataset, QueryUse.of(QueryLimits.DEFAULTS), PromSettings.DEFAULTS);
    }
  }
}
