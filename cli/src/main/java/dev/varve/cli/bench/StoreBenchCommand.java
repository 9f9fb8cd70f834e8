package dev.varve.cli.bench;

import dev.varve.cli.OutputFormat;
import dev.varve.cli.Records;
import dev.varve.cli.WrongCallException;
import dev.varve.devstores.DevStore;
import dev.varve.devstores.DevStores;
import dev.varve.engine.DatasetConfig;
import dev.varve.engine.Engine;
import dev.varve.engine.EngineConfig;
import dev.varve.layout.Layout;
import dev.varve.layout.Layouts;
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
      "Stores that are not inside the process are started as by 'varve dev-store', unless --option says where one is.",
      "Columns: points and cells written a second by four writers; cells read a second by one reader; the mean time of",
      "one series' read; requests to the store; bytes on disk once all is written out ('-' where the store does not",
      "keep files of its own for a layout, or keeps none).",
      "",
      "Examples:",
      "  varve bench store",
      "  varve bench store rocksdb cassandra --layout tall-narrow,buckets",
      "  varve bench store cassandra --option contact-points=10.0.0.1 --option local-datacenter=dc1"
    })
final class StoreBenchCommand implements Callable<Integer> {
  private static final long MEMORY = 256L << 20;

  /** By which option a store keeps the tables of one layout apart from those of others. */
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
          "Layouts (default: tall-narrow, buckets, cell-per-event, heroic, kairosdb, opentsdb).")
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
      Folder.delete(directory);
    }
    return 0;
  }

  private void measure(String kind, Path directory, Records records)
      throws IOException, InterruptedException {
    Map<String, StoreRun.Measured> measured = new LinkedHashMap<>();
    boolean starts = DevStores.KINDS.contains(kind) && options.isEmpty();
    DevStore store = starts ? DevStores.of(kind).start(directory.resolve("store")) : null;
    try {
      for (String layout : layouts) {
        spec.commandLine().getErr().println("varve: " + layout + " on " + kind);
        measured.put(layout, run(kind, layout, store, directory));
      }
      if (store != null) {
        // What it has in memory is to be weighed too.
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

  private StoreRun.Measured run(
      String kind, String layout, @Nullable DevStore store, Path directory)
      throws InterruptedException {
    Map<String, String> of = new TreeMap<>(store == null ? options : store.options());
    String namespace = NAMESPACE_OPTION.get(kind);
    if (namespace != null) {
      of.put(namespace, namespace(layout));
    }
    Layout made = Layouts.of(layout, Map.of());
    DatasetConfig dataset =
        new DatasetConfig(
            layout,
            new DatasetConfig.StoreConfig(kind, of),
            List.of(new DatasetConfig.PeriodConfig(Instant.MIN, List.of(made))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false);
    EngineConfig config =
        new EngineConfig(directory.resolve(layout), MEMORY, List.of(dataset), layout);
    StoreRun.Measured measured;
    try (Engine engine = Engine.open(config)) {
      measured = new StoreRun(engine, new Workload(points, made.resolution())).run();
    }
    if (kind.equals("rocksdb")) {
      // When it is opened again, what stands in its log becomes files of its tables.
      Engine.open(config).close();
    }
    return measured;
  }

  private static String namespace(String layout) {
    return "bench_" + layout.replace('-', '_');
  }

  /** What the layout's files weigh; -1 where it has none of its own. */
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
