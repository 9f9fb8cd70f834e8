package dev.varve.bench;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Figures of a catalog with many series of one metric, after a restart. {@code host} has one value
 * per hundred series, {@code cpu} a hundred values.
 *
 * @param openMillis time from opening the engine until the dataset answers
 * @param exactMicros time to find one series by two tags
 * @param oneTagMicros time to find a hundred series by one tag
 * @param regexMicros time to find eleven hundred series by a pattern on one tag
 */
record CatalogFigures(
    double openMillis,
    List<Double> exactMicros,
    List<Double> oneTagMicros,
    List<Double> regexMicros) {
  private static final int LOOKUPS = 200;
  private static final int BATCH = 10_000;

  static CatalogFigures measure(Path folder, int series) {
    EngineConfig config =
        new EngineConfig(
            folder,
            EngineConfig.DEFAULT_MEMORY,
            List.of(DatasetConfig.of("catalog", Layouts.of(Layouts.OF_CELLS, Map.of()))),
            "catalog");
    try (Engine engine = Engine.open(config)) {
      fill(engine.defaultDataset(), series);
    }
    long start = System.nanoTime();
    try (Engine engine = Engine.open(config)) {
      double open = (System.nanoTime() - start) / 1e6;
      Dataset dataset = engine.defaultDataset();
      return new CatalogFigures(
          open,
          lookUp(
              dataset,
              1,
              i ->
                  List.of(
                      new TagFilter.Equal("host", host(i % (series / 100))),
                      new TagFilter.Equal("cpu", "c" + i % 100))),
          lookUp(dataset, 100, i -> List.of(new TagFilter.Equal("host", host(i % (series / 100))))),
          lookUp(
              dataset, 1100, i -> List.of(new TagFilter.Regex("host", host(i % 9 + 1) + "(|.)"))));
    }
  }

  private static String host(int number) {
    return "host-" + number;
  }

  private static void fill(Dataset dataset, int series) {
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < series; i++) {
      batch.add(
          GroupKey.of("cpu", Tags.of("host", host(i / 100), "cpu", "c" + i % 100)),
          1_700_000_000_000L,
          new Value.Real(i));
      if (batch.sampleCount() == BATCH) {
        dataset.write(batch.build());
      }
    }
    dataset.write(batch.build());
  }

  private interface Filters {
    List<TagFilter> of(int lookUp);
  }

  private static List<Double> lookUp(Dataset dataset, int expected, Filters filters) {
    List<Double> micros = new ArrayList<>();
    for (int i = 0; i < LOOKUPS; i++) {
      Selector selector = Selector.metric("cpu", filters.of(i).toArray(new TagFilter[0]));
      long start = System.nanoTime();
      long found = dataset.catalog().series(selector, null).count();
      micros.add((System.nanoTime() - start) / 1e3);
      if (found != expected) {
        throw new IllegalStateException(
            "found " + found + " series, expected " + expected + ", with " + selector);
      }
    }
    return micros;
  }
}
