package dev.varve.bench;

import com.sun.management.OperatingSystemMXBean;
import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.formats.export.ExportFormat;
import dev.varve.formats.export.ExportWriter;
import dev.varve.formats.export.ParallelExport;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryUse;
import dev.varve.server.export.Export;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * Measures exports into a file by one thread and by all processors, in turns, from {@code blocks}
 * on RocksDB.
 *
 * <p>Arguments: the numbers of samples and of rounds. Prints a table in Markdown, of the medians of
 * the rounds after the first, in seconds and as ratios of one thread to all processors.
 */
public final class ExportSpeed {
  private static final int SERIES = 100;
  private static final int ROWS = 8192;
  private static final int BATCH = 100;
  private static final long START = 1_700_000_000_000L;

  private record Cost(double seconds, double cpuSeconds) {}

  private ExportSpeed() {}

  public static void main(String[] arguments) throws Exception {
    int samples = Integer.parseInt(arguments[0]);
    int rounds = Integer.parseInt(arguments[1]);
    DatasetConfig config = DatasetConfig.of("main", BlockLayout.of(Map.of()));
    try (ScratchFolder folder = ScratchFolder.make();
        Engine engine =
            Engine.open(
                new EngineConfig(
                    folder.path().resolve("data"), 64 << 20, List.of(config), "main"))) {
      Dataset dataset = engine.defaultDataset();
      fill(dataset, samples);
      System.out.printf(
          "%,d samples of %d series, %d rounds, %d processors%n%n",
          samples, SERIES, rounds, Runtime.getRuntime().availableProcessors());
      System.out.println("| format | alone | CPU | parallel | CPU | ratio | CPU ratio |");
      System.out.println("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
      for (ExportFormat format : ExportFormat.values()) {
        print(format, measure(dataset, format, folder.path().resolve("out"), rounds));
      }
    }
  }

  private static void fill(Dataset dataset, int samples) {
    Random random = new Random(1);
    for (int from = 0; from < samples / SERIES; from += BATCH) {
      BatchBuilder batch = new BatchBuilder();
      for (int series = 0; series < SERIES; series++) {
        GroupKey key =
            GroupKey.of(
                "cpu_usage", Tags.of("host", "web-" + series / 4, "mode", "m" + series % 4));
        for (int i = from; i < from + BATCH; i++) {
          batch.group(key).add("value", START + 10_000L * i, random.nextInt(10_000) / 100.0);
        }
      }
      dataset.write(batch.build());
    }
  }

  private static List<List<Cost>> measure(
      Dataset dataset, ExportFormat format, Path file, int rounds) throws IOException {
    List<Cost> alone = new ArrayList<>();
    List<Cost> parallel = new ArrayList<>();
    for (int round = 0; round <= rounds; round++) {
      Cost one = export(dataset, format, file, false);
      Cost all = export(dataset, format, file, true);
      if (round > 0) {
        alone.add(one);
        parallel.add(all);
      }
    }
    return List.of(alone, parallel);
  }

  private static Cost export(Dataset dataset, ExportFormat format, Path file, boolean parallel)
      throws IOException {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long cpu = system.getProcessCpuTime();
    long start = System.nanoTime();
    try (Writer out = new BufferedWriter(Files.newBufferedWriter(file))) {
      ExportWriter writer =
          parallel
              ? new ParallelExport(format, out, dataset.resolution(), ROWS)
              : format.to(out, dataset.resolution(), ROWS);
      new Export(dataset, List.of(Selector.metric("cpu_usage")), TimeRange.ALL, false)
          .run(writer, QueryUse.of(Export.limits(QueryLimits.DEFAULTS)));
    }
    return new Cost((System.nanoTime() - start) / 1e9, (system.getProcessCpuTime() - cpu) / 1e9);
  }

  private static void print(ExportFormat format, List<List<Cost>> costs) {
    double alone = median(costs.getFirst().stream().map(Cost::seconds).toList());
    double parallel = median(costs.getLast().stream().map(Cost::seconds).toList());
    double cpuAlone = median(costs.getFirst().stream().map(Cost::cpuSeconds).toList());
    double cpuParallel = median(costs.getLast().stream().map(Cost::cpuSeconds).toList());
    System.out.printf(
        Locale.ROOT,
        "| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |%n",
        format,
        alone,
        cpuAlone,
        parallel,
        cpuParallel,
        alone / parallel,
        cpuAlone / cpuParallel);
  }

  private static double median(List<Double> all) {
    return all.stream().sorted().skip(all.size() / 2).findFirst().orElseThrow();
  }
}
