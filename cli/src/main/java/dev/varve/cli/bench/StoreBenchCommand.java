package dev.varve.cli.bench;

import dev.varve.cli.io.OutputFormat;
import dev.varve.cli.io.Records;
import dev.varve.cli.io.WrongCallException;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Resolution;
import dev.varve.store.DirectoryTree;
import dev.varve.store.Store;
import dev.varve.store.StoreProviders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code varve bench store}. */
@Command(
    name = "store",
    description =
        "Writes the same points through each layout into each store, reads them back, and compares.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "With --option, each layout has tables of its own in the store, which are dropped at the end; a row in the",
      "store's '.clock' stays. Without it, a source tree starts bigtable, hbase and cassandra as 'varve dev-store' does.",
      "Columns: points and cells written a second by four writers; cells read a second by one reader; the mean time of",
      "one series' read; requests to the store; bytes on disk once all is written out ('-' where the store does not",
      "keep files of its own for a layout, or keeps none).",
      "",
      "Examples:",
      "  varve bench store",
      "  varve bench store rocksdb cassandra --layout tall-narrow,buckets",
      "  varve bench store rocksdb --layout all",
      "  varve bench store cassandra --option contact-points=10.0.0.1 --option local-datacenter=dc1"
    })
final class StoreBenchCommand implements Callable<Integer> {
  private static final long MEMORY = 256L << 20;

  private static final String ALL = "all";

  /** Stores that hold nothing but the tables of a measurement. */
  private static final Set<String> IN_PROCESS = Set.of("memory", "rocksdb");

  /**
   * The option with which a store that is started here keeps the files of one layout apart, by kind
   * of store.
   */
  private static final Map<String, String> NAMESPACE_OPTION =
      Map.of("hbase", "namespace", "cassandra", "keyspace");

  @Parameters(
      paramLabel = "KIND",
      arity = "0..*",
      description = "Stores: memory, rocksdb, bigtable, hbase, cassandra (default: rocksdb).")
  private List<String> kinds = List.of();

  @Option(
      names = "--layout",
      split = ",",
      paramLabel = "NAME",
      description =
          "Layouts, or 'all' (default: tall-narrow, buckets, cell-per-event, heroic, kairosdb, opentsdb).")
  private List<String> layouts =
      List.of("tall-narrow", "buckets", "cell-per-event", "heroic", "kairosdb", "opentsdb");

  @Option(
      names = "--points",
      defaultValue = "100000",
      description = "Points in all, of 100 series (default: ${DEFAULT-VALUE}).")
  private int points;

  @Option(
      names = "--option",
      paramLabel = "NAME=VALUE",
      description = "Options of a store that runs already; for one KIND.")
  private Map<String, String> options = Map.of();

  @Option(
      names = "--output",
      defaultValue = "table",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat output;

  @Spec private CommandSpec spec;

  private final StoreStarter starter;

  StoreBenchCommand(StoreStarter starter) {
    this.starter = starter;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<String> asked = kinds.isEmpty() ? List.of("rocksdb") : kinds;
    if (!options.isEmpty() && asked.size() != 1) {
      throw new WrongCallException("--option belongs to one store, " + asked.size() + " are named");
    }
    if (points < Workload.SERIES || points % Workload.SERIES != 0) {
      throw new WrongCallException(
          "--points %d is no multiple of %d series".formatted(points, Workload.SERIES));
    }
    Path directory = Files.createTempDirectory("varve-bench-");
    try (Records records =
        new Records(
            output,
            spec.commandLine().getOut(),
            "store",
            "layout",
            "points/s",
            "cells",
            "cells written/s",
            "cells read/s",
            "one series ms",
            "write requests",
            "read requests",
            "bytes",
            "bytes/point")) {
      for (String kind : asked) {
        measure(kind, directory.resolve(kind), records);
      }
    } finally {
      DirectoryTree.delete(directory);
    }
    return 0;
  }

  private void measure(String kind, Path directory, Records records)
      throws IOException, InterruptedException {
    Map<String, StoreRun.Measured> measured = new LinkedHashMap<>();
    StartedStore store = options.isEmpty() ? starter.start(kind, directory.resolve("store")) : null;
    try {
      for (String layout : layouts()) {
        spec.commandLine().getErr().println("varve: " + layout + " on " + kind);
        measured.put(layout, run(kind, layout, store, directory));
      }
      if (store != null) {
        // Its buffers in memory must be measured too.
        store.stop();
      }
    } finally {
      if (store != null) {
        store.close();
      }
    }
    for (Map.Entry<String, StoreRun.Measured> run : measured.entrySet()) {
      print(kind, run.getKey(), run.getValue(), bytes(kind, run.getKey(), directory), records);
    }
  }

  private List<String> layouts() {
    return layouts.equals(List.of(ALL))
        ? Layouts.list().stream().map(Layouts.Entry::name).toList()
        : layouts;
  }

  private StoreRun.Measured run(
      String kind, String layout, @Nullable StartedStore store, Path directory)
      throws InterruptedException {
    Map<String, String> of = new TreeMap<>(store == null ? options : store.options());
    String namespace = NAMESPACE_OPTION.get(kind);
    if (store != null && namespace != null) {
      of.put(namespace, namespace(layout));
    }
    boolean isForeign = store == null && !IN_PROCESS.contains(kind);
    EngineConfig config =
        config(isForeign ? unused(layout) : layout, kind, of, layout, directory.resolve(layout));
    try {
      return run(config);
    } finally {
      if (isForeign) {
        drop(kind, of, config.defaultDataset(), directory.resolve(layout));
      }
    }
  }

  /** The same store may hold other datasets that are named after their layouts. */
  private static String unused(String layout) {
    return "bench-%s-%06x".formatted(layout, ThreadLocalRandom.current().nextInt(1 << 24));
  }

  private static EngineConfig config(
      String dataset, String kind, Map<String, String> options, String layout, Path directory) {
    DatasetConfig made =
        new DatasetConfig(
            dataset,
            new DatasetConfig.StoreConfig(kind, options),
            List.of(new DatasetConfig.PeriodConfig(Instant.MIN, Layouts.stored(layout, Map.of()))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false);
    return new EngineConfig(directory, MEMORY, List.of(made), dataset);
  }

  private StoreRun.Measured run(EngineConfig config) throws InterruptedException {
    DatasetConfig dataset = config.datasets().getFirst();
    Resolution resolution = dataset.periods().getFirst().layouts().getFirst().resolution();
    StoreRun.Measured measured;
    try (Engine engine = Engine.open(config)) {
      measured = new StoreRun(engine, new Workload(points, resolution)).run();
    }
    if (dataset.store().kind().equals("rocksdb")) {
      // Opening the store again turns its log into table files.
      Engine.open(config).close();
    }
    return measured;
  }

  private static void drop(
      String kind, Map<String, String> options, String dataset, Path directory) {
    try (Store store = StoreProviders.of(kind).open(directory.resolve("drop"), MEMORY, options)) {
      for (String table : store.tables()) {
        if (table.startsWith(dataset + ".") || table.startsWith("." + dataset + ".")) {
          store.drop(table);
        }
      }
    }
  }

  private static String namespace(String layout) {
    return "bench_" + layout.replace('-', '_');
  }

  /** Returns the bytes of the layout's files; -1 if it has no files of its own. */
  private static long bytes(String kind, String layout, Path directory) throws IOException {
    return switch (kind) {
      case "rocksdb" -> Folder.bytes(directory.resolve(layout));
      case "hbase", "cassandra" -> Folder.bytesBelow(directory.resolve("store"), namespace(layout));
      default -> -1;
    };
  }

  private void print(
      String kind, String layout, StoreRun.Measured run, long bytes, Records records) {
    records.add(
        kind,
        layout,
        Math.round(points / run.writeSeconds()),
        run.cells(),
        Math.round(run.cells() / run.writeSeconds()),
        Math.round(run.cells() / run.readSeconds()),
        String.format(Locale.ROOT, "%.2f", run.seriesNanos() / 1e6),
        run.writeRequests() < 0 ? "-" : run.writeRequests(),
        run.readRequests(),
        bytes < 0 ? "-" : bytes,
        bytes < 0 ? "-" : String.format(Locale.ROOT, "%.2f", (double) bytes / points));
  }
}
