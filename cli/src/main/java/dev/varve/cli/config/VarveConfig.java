package dev.varve.cli.config;

import dev.varve.engine.SideDatasets;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.config.FieldLimits;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryCapacity;
import dev.varve.server.ServerConfig;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigNode;
import dev.varve.server.config.ConfigReader;
import dev.varve.server.http.HttpLimits;
import dev.varve.server.http.WebAccess;
import dev.varve.server.ingest.Door;
import dev.varve.server.ingest.LabelLimits;
import dev.varve.server.queries.QueryOptions;
import dev.varve.server.relabel.RelabelReader;
import dev.varve.server.rules.RulesConfig;
import dev.varve.server.rules.RulesSection;
import dev.varve.server.scrape.ScrapeReader;
import dev.varve.server.scrape.Scrapes;
import dev.varve.server.security.AccessFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The whole configuration.
 *
 * @param listeners addresses on which the server listens
 * @param http limits of requests
 * @param scrape the scrape jobs; null for none
 * @param rules the rules that the server evaluates
 * @param door relabelling and limits of incoming series
 * @param queries limits of queries
 * @param web rights of browser pages
 * @param deletes whether clients of other machines may delete
 * @param access the files that define users and TLS
 * @param heapDump whether heap exhaustion writes a heap dump into the data directory
 * @param log format of the server's log
 */
public record VarveConfig(
    EngineConfig engine,
    List<ServerConfig.Listener> listeners,
    HttpLimits http,
    @Nullable Scrapes scrape,
    RulesConfig rules,
    Door door,
    QueryOptions queries,
    WebAccess web,
    boolean deletes,
    AccessFiles access,
    boolean heapDump,
    LogFormat log) {
  public static final String DEFAULT_DATASET = "default";
  public static final String DEFAULT_DATA = "varve-data";
  private static final long MEMORY_MIN = 1 << 20;

  /**
   * Reads the configuration.
   *
   * @param file null for the defaults
   * @param environment variables; those that begin with {@code VARVE_} override the file
   * @param settings values by {@code section.key}, which override the environment
   * @throws ConfigException with all problems
   */
  public static VarveConfig read(
      @Nullable Path file, Map<String, String> environment, Map<String, String> settings) {
    return bind(ConfigSources.merged(file, environment, settings), folder(file));
  }

  /** Returns the folder of the configuration, against which its relative paths are resolved. */
  private static Path folder(@Nullable Path file) {
    Path parent = file == null ? null : file.toAbsolutePath().getParent();
    return parent == null ? Path.of("") : parent;
  }

  private static VarveConfig bind(ConfigNode.Mapping root, Path folder) {
    List<String> problems = new ArrayList<>();
    ConfigReader reader = new ConfigReader(root, "", problems);
    Path named = reader.path("data", Path.of(""));
    Path data = named == null ? Path.of(DEFAULT_DATA) : named;
    long memory = reader.size("memory", StoreMemory.OF_THIS_MACHINE);
    List<DatasetConfig> datasets = datasets(reader.below("datasets"), folder);
    String defaultDataset = defaultDataset(reader, datasets, problems);
    List<ServerConfig.Listener> listeners = listeners(reader);
    Scrapes scrape = ScrapeReader.read(reader.below("scrape"), folder);
    if (scrape != null && scrape.dataset() != null) {
      requireDataset(scrape.dataset(), datasets, reader.below("scrape"));
    }
    RulesConfig rules = rules(reader.below("rules"), folder, datasets, problems);
    ConfigReader write = reader.below("write");
    HttpLimits http = http(reader, write);
    Door door = door(write);
    FieldLimits fields =
        new FieldLimits(
            write.integer("fields", 1, Integer.MAX_VALUE, FieldLimits.DEFAULTS.series()),
            write.integer("metric-fields", 1, Integer.MAX_VALUE, FieldLimits.DEFAULTS.metric()));
    long catalog = write.size("catalog", EngineConfig.DEFAULT_CATALOG);
    write.refuseUnknown();
    QueryOptions queries = queries(reader.below("queries"));
    ConfigReader ofWeb = reader.below("web");
    WebAccess web = web(ofWeb);
    AccessFiles access = access(reader, ofWeb, folder);
    ofWeb.refuseUnknown();
    boolean deletes =
        reader.choice("deletes", List.of("loopback", "allow"), "loopback").equals("allow");
    ConfigReader backup = reader.below("backup");
    Path backups = backup.path("directory", folder);
    backup.refuseUnknown();
    boolean heapDump = reader.choice("heap-dump", List.of("true", "false"), "true").equals("true");
    LogFormat log =
        LogFormat.valueOf(
            reader.choice("log-format", List.of("text", "json"), "text").toUpperCase(Locale.ROOT));
    reader.refuseUnknown();
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
    return new VarveConfig(
        new EngineConfig(data, memory, datasets, defaultDataset, fields, catalog, backups),
        listeners,
        http,
        scrape,
        rules,
        door,
        queries,
        web,
        deletes,
        access,
        heapDump,
        log);
  }

  /** Returns the declared datasets with those beside them; one of the default layout for none. */
  private static List<DatasetConfig> datasets(ConfigReader declared, Path folder) {
    List<DatasetConfig> datasets = new ArrayList<>();
    for (String name : declared.keys()) {
      DatasetConfig dataset = new DatasetSection(declared.below(name), name, folder).read();
      if (dataset != null) {
        datasets.add(dataset);
        datasets.addAll(SideDatasets.of(dataset));
      }
    }
    if (declared.keys().isEmpty()) {
      StorageLayout layout = Layouts.stored(Layouts.DEFAULT, Map.of()).getFirst();
      datasets.add(
          DatasetConfig.of(
              DEFAULT_DATASET, new DatasetConfig.PeriodConfig(Instant.MIN, List.of(layout), true)));
    }
    return datasets;
  }

  private static String defaultDataset(
      ConfigReader reader, List<DatasetConfig> datasets, List<String> problems) {
    String first = datasets.isEmpty() ? DEFAULT_DATASET : datasets.getFirst().name();
    String name = reader.text("default", first);
    // A dataset with a problem is not in the list.
    if (!has(datasets, name) && problems.isEmpty()) {
      reader.problem("default", "there is no dataset '" + name + "'");
    }
    return name;
  }

  private static boolean has(List<DatasetConfig> datasets, String name) {
    return datasets.stream().anyMatch(dataset -> dataset.name().equals(name));
  }

  private static RulesConfig rules(
      ConfigReader section, Path folder, List<DatasetConfig> datasets, List<String> problems) {
    RulesConfig rules = RulesSection.read(section, folder);
    for (String name : rules.datasets().keySet()) {
      if (!has(datasets, name)) {
        problems.add("rules.datasets: there is no dataset '" + name + "'");
      }
    }
    return rules;
  }

  private static HttpLimits http(ConfigReader reader, ConfigReader write) {
    return HttpLimits.DEFAULTS
        .withBodies(
            write.size("body", HttpLimits.DEFAULTS.body()),
            write.size("decoded-body", HttpLimits.DEFAULTS.decodedBody()))
        .withMemory(write.size("memory", HttpLimits.DEFAULTS.memory()))
        .withConnections(ConnectionsSection.read(reader, "connections"));
  }

  private static AccessFiles access(ConfigReader reader, ConfigReader web, Path folder) {
    return new AccessFiles(
        web.path("config-file", folder),
        web.path("users-file", folder),
        reader.choice("allow-anonymous", List.of("true", "false"), "false").equals("true"));
  }

  private static WebAccess web(ConfigReader reader) {
    WebAccess web =
        new WebAccess(
            each(reader, "origins", WebAccess::origin),
            each(reader, "hosts", WebAccess::host),
            each(
                reader,
                "cors-origins",
                text -> text.equals(WebAccess.ANY) ? text : WebAccess.origin(text)));
    return web;
  }

  private static Set<String> each(ConfigReader reader, String key, UnaryOperator<String> read) {
    Set<String> all = new TreeSet<>();
    for (String text : reader.texts(key)) {
      try {
        all.add(read.apply(text));
      } catch (IllegalArgumentException e) {
        reader.problem(key, String.valueOf(e.getMessage()));
      }
    }
    return all;
  }

  private static void requireDataset(
      String name, List<DatasetConfig> datasets, ConfigReader section) {
    if (!has(datasets, name)) {
      section.problem("dataset", "there is no dataset '" + name + "'");
    }
  }

  private static Door door(ConfigReader write) {
    LabelLimits usual = LabelLimits.DEFAULTS;
    return new Door(
        RelabelReader.read(write, "relabel"),
        new LabelLimits(
            write.integer("labels", 1, Integer.MAX_VALUE, usual.labels()),
            write.integer("label-name", 1, Integer.MAX_VALUE, usual.name()),
            write.integer("label-value", 1, Integer.MAX_VALUE, usual.value())));
  }

  private static QueryOptions queries(ConfigReader reader) {
    QueryLimits limits = QueryLimits.DEFAULTS;
    QueryCapacity capacity = QueryCapacity.DEFAULTS;
    QueryOptions options =
        new QueryOptions(
            new QueryLimits(
                count(reader, "series", limits.series()),
                count(reader, "samples", limits.samples()),
                size(reader, "memory", limits.memory()),
                count(reader, "points", limits.points()),
                count(reader, "steps", limits.steps()),
                length(reader, "time", limits.time()),
                count(reader, "cells", limits.cells()),
                size(reader, "bytes", limits.bytes())),
            new QueryCapacity(
                reader.integer("concurrency", 1, 10_000, capacity.running()),
                reader.integer("queue", 0, 100_000, capacity.waiting()),
                length(reader, "wait", capacity.waitMax()),
                size(reader, "pool", capacity.memory())),
            length(reader, "slow", QueryOptions.DEFAULTS.slow()));
    reader.refuseUnknown();
    return options;
  }

  private static long count(ConfigReader reader, String key, long otherwise) {
    int given =
        reader.integer(key, 1, Integer.MAX_VALUE, Math.clamp(otherwise, 1, Integer.MAX_VALUE));
    return reader.has(key) ? given : otherwise;
  }

  private static long size(ConfigReader reader, String key, long otherwise) {
    long size = reader.size(key, otherwise);
    if (size < MEMORY_MIN) {
      reader.problem(key, "is less than 1MB, which no query can do with");
    }
    return size;
  }

  private static Duration length(ConfigReader reader, String key, Duration otherwise) {
    Duration length = reader.duration(key);
    return length == null ? otherwise : length;
  }

  private static List<String> dialects(ConfigReader item) {
    List<String> named = item.texts("dialects");
    return named.isEmpty() ? ServerConfig.Listener.DEFAULTS.dialects() : named;
  }

  /** Reads the feed of a listener; null if it speaks HTTP. */
  private static ServerConfig.@Nullable Feed feed(ConfigReader item) {
    List<String> protocols = new ArrayList<>(List.of("http"));
    protocols.addAll(ServerConfig.Feed.PROTOCOLS);
    String protocol = item.choice("protocol", protocols, "http");
    if (!protocol.equals("http") && item.has("dialects")) {
      item.problem("dialects", "are of a listener with protocol: http");
    }
    return switch (protocol) {
      case "graphite", "graphite-pickle" ->
          new ServerConfig.Feed.Graphite(protocol.endsWith("pickle"), item.texts("templates"));
      case "telnet" -> new ServerConfig.Feed.Telnet();
      case "influx" -> new ServerConfig.Feed.Influx(item.text("precision", "ns"));
      default -> null;
    };
  }

  private static List<ServerConfig.Listener> listeners(ConfigReader reader) {
    List<ServerConfig.Listener> listeners = new ArrayList<>();
    for (ConfigReader item : reader.list("listen")) {
      listeners.add(
          new ServerConfig.Listener(
              item.text("host", "127.0.0.1"),
              item.integer("port", 0, 65535, 4242),
              item.text("protocol", "http").equals("http") ? dialects(item) : List.of(),
              item.text("dataset"),
              feed(item),
              item.text("as")));
      item.refuseUnknown();
    }
    return listeners.isEmpty() ? List.of(ServerConfig.Listener.DEFAULTS) : listeners;
  }
}
