package dev.varve.bench;

import dev.varve.engine.Dataset;
import dev.varve.engine.DatasetConfig;
import dev.varve.engine.Engine;
import dev.varve.engine.EngineConfig;
import dev.varve.layout.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.query.QueryLimits;
import dev.varve.query.Runs;
import dev.varve.query.promql.eval.PromQuery;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.running.QueryUse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures PromQL over many series in RocksDB within this process: the same queries by one reader
 * and by as many as there are cores, in turn, so that both have the same machine.
 *
 * <p>Arguments, all optional: {@code series=N}, {@code samples=N} of each, 10 s apart, {@code
 * runs=N}, {@code layout=NAME}. Prints a table in Markdown.
 */
public final class PromQlReads {
  private static final long START = 1_700_000_000_000L;
  private static final long STEP = 10_000;
  private static final int BATCH = 50_000;

  private static final List<String> QUERIES =
      List.of(
          "sum by (job) (rate(m_total[5m]))",
          "sum(m_total)",
          "max by (job) (max_over_time(m_total[10m]))",
          "sum by (job) (rate(m_total[5m])) / count by (job) (m_total)");

  private PromQlReads() {}

  /** Runs all measurements. */
  public static void main(String[] arguments) throws IOException {
    List<String> given = List.of(arguments);
    int series = argument(given, "series", 4_000);
    int samples = argument(given, "samples", 2_160);
    int runs = argument(given, "runs", 5);
    String layout =
        given.stream()
            .filter(argument -> argument.startsWith("layout="))
            .map(argument -> argument.substring("layout=".length()))
            .findFirst()
            .orElse(Layouts.DEFAULT);
    try (ScratchFolder folder = ScratchFolder.make();
        Engine engine = Engine.open(config(folder, layout))) {
      fill(engine.defaultDataset(), series, samples);
      measure(engine.defaultDataset(), samples, runs);
    }
  }

  private static EngineConfig config(ScratchFolder folder, String layout) {
    return new EngineConfig(
        folder.path(),
        EngineConfig.DEFAULT_MEMORY,
        List.of(DatasetConfig.of("main", Layouts.of(layout, Map.of()))),
        "main");
  }

  private static int argument(List<String> arguments, String name, int otherwise) {
    return arguments.stream()
        .filter(argument -> argument.startsWith(name + "="))
        .map(argument -> Integer.parseInt(argument.substring(name.length() + 1)))
        .findFirst()
        .orElse(otherwise);
  }

  private static void fill(Dataset dataset, int series, int samples) {
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < series; i++) {
      GroupKey key =
          GroupKey.of(
              "m_total", Tags.of("job", "job-" + i % 20, "instance", "host-" + i, "zone", "z"));
      double value = i;
      for (int s = 0; s < samples; s++) {
        value = s % 997 == 996 ? 0 : value + (i * 31L + s * 7L) % 17;
        batch.add(key, START + s * STEP, new Value.Real(value));
      }
      if (batch.sampleCount() >= BATCH) {
        dataset.write(batch.build());
      }
    }
    dataset.write(batch.build());
  }

  private static void measure(Dataset dataset, int samples, int runs) {
    int cores = Runtime.getRuntime().availableProcessors();
    System.out.printf("| query | 1 reader, ms | %d readers, ms | ratio |%n", cores);
    System.out.println("| --- | ---: | ---: | ---: |");
    for (String query : QUERIES) {
      List<Double> one = new ArrayList<>();
      List<Double> all = new ArrayList<>();
      for (int run = -1; run < runs; run++) {
        double alone = millis(dataset, query, samples, 1);
        double together = millis(dataset, query, samples, cores);
        if (run >= 0) {
          one.add(alone);
          all.add(together);
        }
      }
      System.out.printf(
          Locale.ROOT,
          "| `%s` | %.0f | %.0f | %.2f |%n",
          query,
          median(one),
          median(all),
          median(one) / median(all));
    }
  }

  private static double millis(Dataset dataset, String text, int samples, int readers) {
    QueryUse use = QueryUse.of(QueryLimits.DEFAULTS);
    PromQuery query = new PromQuery(text, Runs.of(dataset), use, PromSettings.DEFAULTS, readers);
    long begun = System.nanoTime();
    query.range(START, START + samples * STEP, Duration.ofMinutes(1));
    return (System.nanoTime() - begun) / 1e6;
  }

  private static double median(List<Double> taken) {
    return taken.stream().sorted().toList().get(taken.size() / 2);
  }
}
