package dev.varve.cli;

import dev.varve.cli.config.VarveConfig;
import dev.varve.engine.DatasetConfig;
import dev.varve.query.QueryLimits;
import dev.varve.query.running.QueryCapacity;
import dev.varve.server.ServerConfig;
import dev.varve.server.http.ConnectionLimits;
import dev.varve.server.queries.QueryOptions;
import dev.varve.server.rules.RuleFiles;
import dev.varve.server.rules.RulesConfig;
import dev.varve.server.scrape.Scrapes;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code varve config}. */
@Command(
    name = "config",
    description =
        "Checks the configuration and prints what it comes to: file, environment and --set together.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Examples:",
      "  varve config --config varve.yaml",
      "  VARVE_MEMORY=1GB varve config --set datasets.metrics.layout=kairosdb",
      "",
      "Keys: data, memory, default, connections, heap-dump, listen[].host|port|dialects|dataset|protocol|templates|precision,",
      "write.body|decoded-body|labels|label-name|label-value|relabel[],",
      "queries.concurrency|queue|wait|time|series|samples|cells|bytes|points|steps|memory|pool|slow,",
      "scrape.dataset|file|global|scrape_configs, and for each datasets.NAME:",
      "layout, parameters, companions, periods[].from|layout|parameters|companions, store.kind|options,",
      "retention, duplicates (last, first, max, min), resources, scans (refuse, allow), refresh,",
      "rescan, rescan-rows, believed, attach (no, read-only, co-write), tables, home.kind|options.",
      "For web.: origins[], hosts[], cors-origins[].",
      "For rules.: files, datasets.NAME, interval, query-offset, timeout, concurrency, outage-tolerance, for-grace-period,",
      "resend-delay, reread, external-url, external-labels, alertmanagers[].url|timeout|user|password-file|token-file, queue,",
      "alert-relabel[]."
    })
final class ConfigCommand implements Callable<Integer> {
  @Mixin private ConfigOptions options;

  @Option(
      names = "--output",
      defaultValue = "table",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat output;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    VarveConfig config = options.read();
    try (Records records = new Records(output, spec.commandLine().getOut(), "key", "value")) {
      records.add("data", config.engine().directory());
      records.add("memory", config.engine().memory());
      records.add("default", config.engine().defaultDataset());
      for (int i = 0; i < config.listeners().size(); i++) {
        ServerConfig.Listener listener = config.listeners().get(i);
        records.add("listen[" + i + "]", listener.host() + ":" + listener.port());
        ServerConfig.Feed feed = listener.feed();
        if (feed != null) {
          records.add("listen[" + i + "].protocol", feed.protocol());
        }
        if (!listener.dialects().isEmpty()) {
          records.add("listen[" + i + "].dialects", String.join(",", listener.dialects()));
        }
      }
      Scrapes scrape = config.scrape();
      if (scrape != null) {
        scrape
            .jobs()
            .forEach(job -> records.add("scrape." + job.jobName(), job.interval().toString()));
      }
      print(config.http().connections(), records);
      add("web.origins", config.web().origins(), records);
      add("web.hosts", config.web().hosts(), records);
      add("web.cors-origins", config.web().corsOrigins(), records);
      records.add("heap-dump", config.heapDump());
      records.add("write.body", config.http().body());
      records.add("write.decoded-body", config.http().decodedBody());
      records.add("write.labels", config.door().limits().labels());
      records.add("write.label-name", config.door().limits().name());
      records.add("write.label-value", config.door().limits().value());
      records.add("write.fields", config.engine().fields().series());
      records.add("write.metric-fields", config.engine().fields().metric());
      records.add("write.catalog", config.engine().catalog());
      print(config.queries(), records);
      config.engine().datasets().forEach(dataset -> print(dataset, records));
      print(config.rules(), records);
    }
    return 0;
  }

  private static void add(String key, Set<String> texts, Records records) {
    if (!texts.isEmpty()) {
      records.add(key, String.join(",", new TreeSet<>(texts)));
    }
  }

  /** Reads the rule files, too, so that what is wrong with them is said. */
  private static void print(RulesConfig rules, Records records) {
    if (rules.isEmpty()) {
      return;
    }
    printFiles("rules.files", rules.files(), rules, records);
    new TreeMap<>(rules.datasets())
        .forEach((name, files) -> printFiles("rules.datasets." + name, files, rules, records));
    records.add("rules.interval", rules.interval());
    records.add("rules.query-offset", rules.queryOffset());
    records.add("rules.timeout", rules.timeout());
    records.add("rules.concurrency", rules.concurrency());
    records.add("rules.outage-tolerance", rules.outageTolerance());
    records.add("rules.for-grace-period", rules.forGracePeriod());
    records.add("rules.resend-delay", rules.resendDelay());
    records.add("rules.reread", rules.reread() == null ? "never" : rules.reread());
    if (rules.externalUrl() != null) {
      records.add("rules.external-url", rules.externalUrl());
    }
    rules
        .externalLabels()
        .forEach((name, value) -> records.add("rules.external-labels." + name, value));
    records.add("rules.queue", rules.alerting().queue());
    for (int i = 0; i < rules.alerting().alertmanagers().size(); i++) {
      records.add(
          "rules.alertmanagers[" + i + "].url", rules.alerting().alertmanagers().get(i).url());
    }
  }

  private static void printFiles(
      String key, List<Path> patterns, RulesConfig rules, Records records) {
    for (Path file : RuleFiles.find(patterns)) {
      int groups = RuleFiles.read(List.of(file), rules.interval()).size();
      records.add(key, file + ", " + groups + " groups");
    }
  }

  private static void print(ConnectionLimits connections, Records records) {
    records.add("connections.max", connections.max());
    records.add("connections.per-client", connections.perClient());
    records.add("connections.lines", connections.lines());
    records.add("connections.reserve", connections.reserve());
    records.add("connections.header", connections.header());
    records.add("connections.idle", connections.idle());
    records.add("connections.lines-idle", connections.linesIdle());
    records.add("connections.min-rate", connections.minRate());
    records.add("connections.grace", connections.grace());
    records.add("connections.trusted-proxies", connections.proxies());
  }

  private static void print(QueryOptions queries, Records records) {
    QueryLimits limits = queries.limits();
    QueryCapacity capacity = queries.capacity();
    records.add("queries.concurrency", capacity.running());
    records.add("queries.queue", capacity.waiting());
    records.add("queries.wait", capacity.patience());
    records.add("queries.time", limits.time());
    records.add("queries.series", limits.series());
    records.add("queries.samples", limits.samples());
    records.add("queries.cells", limits.cells());
    records.add("queries.bytes", limits.bytes());
    records.add("queries.points", limits.points());
    records.add("queries.steps", limits.steps());
    records.add("queries.memory", limits.memory());
    records.add("queries.pool", capacity.memory());
    records.add("queries.slow", queries.slow());
  }

  private static void print(DatasetConfig dataset, Records records) {
    String prefix = "datasets." + dataset.name() + ".";
    records.add(prefix + "store", dataset.store().kind());
    for (int i = 0; i < dataset.periods().size(); i++) {
      DatasetConfig.PeriodConfig period = dataset.periods().get(i);
      String name = i == 0 ? prefix : prefix + "periods[" + (i - 1) + "].";
      if (i > 0) {
        records.add(name + "from", period.from());
      }
      records.add(name + "layout", period.layouts().getFirst().identity());
      for (int j = 1; j < period.layouts().size(); j++) {
        records.add(name + "companions[" + (j - 1) + "]", period.layouts().get(j).identity());
      }
    }
    records.add(
        prefix + "retention", dataset.retention() == null ? "for ever" : dataset.retention());
    records.add(
        prefix + "duplicates", dataset.duplicates().name().toLowerCase(java.util.Locale.ROOT));
    records.add(prefix + "resources", String.join(",", dataset.resources()));
    records.add(prefix + "scans", dataset.wholeTableScans() ? "allow" : "refuse");
    DatasetConfig.Attached attached = dataset.attached();
    if (attached != null) {
      records.add(prefix + "attach", dataset.isReadOnly() ? "read-only" : "co-write");
      new TreeMap<>(attached.tables())
          .forEach((table, name) -> records.add(prefix + "tables." + table, name));
      records.add(prefix + "home", dataset.home().kind());
      records.add(prefix + "refresh", dataset.refresh().within());
      records.add(prefix + "rescan", dataset.refresh().rescan());
      records.add(prefix + "believed", dataset.refresh().believed());
      records.add(prefix + "rescan-rows", dataset.refresh().rowsPerSecond());
    }
  }
}
