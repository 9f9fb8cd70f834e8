package dev.varve.cli.config;

import dev.varve.engine.SideDatasets;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.Access;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.config.DatasetConfig.Refresh;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.config.FieldLimits;
import dev.varve.engine.config.JournalConfig;
import dev.varve.layout.RefusedException;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.opentsdb.RollupConfig;
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
import dev.varve.server.opentsdb.rollup.RollupFile;
import dev.varve.server.queries.QueryOptions;
import dev.varve.server.relabel.RelabelReader;
import dev.varve.server.rules.RulesConfig;
import dev.varve.server.rules.RulesSection;
import dev.varve.server.scrape.ScrapeReader;
import dev.varve.server.scrape.Scrapes;
import dev.varve.server.security.AccessFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The whole configuration.
 *
 * @param listeners addresses on which the server listens
 * @param http limits of requests
 * @param scrape what the server scrapes; null for nothing
 * @param rules the rules that the server evaluates
 * @param door relabelling and limits of incoming series
 * @param queries limits of queries
 * @param web rights of browser pages
 * @param deletes whether clients of other machines may delete
 * @param access who is admitted, and whether connections are encrypted
 * @param heapDump whether heap exhaustion writes a heap dump into the data directory
 * @param log how the server writes its log
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
  private static final String PREFIX = "VARVE_";
  private static final long MEMORY_MIN = 1 << 20;

  /** Variables of the launcher or the program that are not configuration keys. */
  private static final Set<String> OTHER_VARIABLES =
      Set.of(
          "VARVE_AOT",
          "VARVE_BUILD",
          "VARVE_JAVA_HOME",
          "VARVE_JAVA_OPTS",
          "VARVE_HEAP",
          "VARVE_TRACE",
          "VARVE_LOG",
          "VARVE_JAVA17_HOME",
          "VARVE_CONFIG");

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
    return bind(tree(file, environment, settings), folder(file));
  }

  /** Returns the folder of the configuration, against which its relative paths are resolved. */
  private static Path folder(@Nullable Path file) {
    Path parent = file == null ? null : file.toAbsolutePath().getParent();
    return parent == null ? Path.of("") : parent;
  }

  static ConfigNode.Mapping tree(
      @Nullable Path file, Map<String, String> environment, Map<String, String> settings) {
    ConfigNode.Mapping root =
        file == null ? ConfigNode.Mapping.empty("the defaults") : parseFile(file);
    for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
      String name = variable.getKey();
      if (name.startsWith(PREFIX) && !OTHER_VARIABLES.contains(name)) {
        String keys = name.substring(PREFIX.length()).toLowerCase(Locale.ROOT);
        List<String> path = List.of(keys.replace("__", "-").split("_"));
        root = ConfigNode.with(root, path, value(variable.getValue(), name), true);
      }
    }
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      List<String> path = List.of(setting.getKey().split("\\."));
      root =
          ConfigNode.with(
              root,
              path,
              ConfigNode.parse(setting.getValue(), "--set " + setting.getKey(), false),
              false);
    }
    return root;
  }

  /**
   * Parses a list, a mapping or a quoted string. Any other text is taken literally, since it may be
   * a password.
   */
  private static ConfigNode value(String text, String variable) {
    String where = "environment " + variable;
    boolean yaml = !text.isEmpty() && "[{\"'".indexOf(text.charAt(0)) >= 0;
    return yaml ? ConfigNode.parse(text, where, false) : new ConfigNode.Scalar(text, where);
  }

  private static ConfigNode.Mapping parseFile(Path file) {
    try {
      ConfigNode node =
          ConfigNode.parse(Files.readString(file), file.getFileName().toString(), true);
      if (node instanceof ConfigNode.Mapping mapping) {
        return mapping;
      }
      throw new ConfigException(
          List.of(node.where() + ": a configuration is a mapping of keys and values"));
    } catch (NoSuchFileException e) {
      throw new ConfigException(List.of("there is no file '" + file + "'"));
    } catch (IOException e) {
      throw new ConfigException(List.of("cannot read '" + file + "': " + e.getMessage()));
    }
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
      DatasetConfig dataset = new DatasetReader(declared.below(name), name, folder).read();
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
                length(reader, "wait", capacity.patience()),
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

  /** Reads one dataset. */
  private record DatasetReader(ConfigReader reader, String name, Path folder) {
    @Nullable DatasetConfig read() {
      List<DatasetConfig.PeriodConfig> periods = periods();
      // Everything is read even after an error, so that no known key is reported as unknown.
      ConfigReader store = reader.below("store");
      StoreConfig stored =
          new StoreConfig(store.text("kind", "rocksdb"), store.texts("options", "store options"));
      Duration retention = reader.duration("retention");
      String duplicates =
          reader.choice("duplicates", List.of("last", "first", "max", "min"), "last");
      Set<String> resources = Set.copyOf(reader.texts("resources"));
      String scans = reader.choice("scans", List.of("refuse", "allow"), "refuse");
      Refresh refresh = refresh();
      JournalConfig journal = journal();
      Attached attached = attached();
      RollupConfig rollups = rollups();
      int histograms = reader.integer("histograms", 0, 255, -1);
      store.refuseUnknown();
      reader.refuseUnknown();
      return periods.isEmpty()
          ? null
          : new DatasetConfig(
              name,
              stored,
              periods,
              retention,
              DatasetConfig.Duplicates.valueOf(duplicates.toUpperCase(Locale.ROOT)),
              resources,
              scans.equals("allow"),
              refresh,
              journal,
              attached,
              rollups,
              histograms < 0 ? null : histograms);
    }

    /** Reads the file of OpenTSDB's roll-ups; null if there is none. */
    private @Nullable RollupConfig rollups() {
      Path file = reader.path("rollups", folder);
      if (file == null) {
        return null;
      }
      try {
        return RollupFile.read(Files.readString(file), file.getFileName().toString());
      } catch (ConfigException e) {
        e.problems().forEach(problem -> reader.problem("rollups", problem));
      } catch (IOException e) {
        reader.problem("rollups", "cannot read '" + file + "'");
      }
      return null;
    }

    private JournalConfig journal() {
      JournalConfig usual = JournalConfig.DEFAULTS;
      String sync = reader.choice("journal", List.of("fsync", "os", "async"), "fsync");
      long bytes = reader.size("journal-size", usual.maxBytes());
      if (bytes < JournalConfig.BYTES_MIN) {
        reader.problem("journal-size", "is less than 1MB");
      }
      return new JournalConfig(JournalConfig.Sync.valueOf(sync.toUpperCase(Locale.ROOT)), bytes);
    }

    private Refresh refresh() {
      Duration within = reader.duration("refresh");
      Duration rescan = reader.duration("rescan");
      Duration believed = reader.duration("believed");
      return new Refresh(
          within == null ? Refresh.DEFAULTS.within() : within,
          rescan == null ? Refresh.DEFAULTS.rescan() : rescan,
          believed == null ? Refresh.DEFAULTS.believed() : believed,
          reader.integer("rescan-rows", 0, Integer.MAX_VALUE, Refresh.DEFAULTS.rowsPerSecond()));
    }

    /** Reads the keys for tables of another server; null if there are none. */
    private @Nullable Attached attached() {
      String access = reader.choice("attach", List.of("no", "read-only", "co-write"), "no");
      Map<String, String> tables = reader.texts("tables", "foreign tables");
      ConfigReader home = reader.below("home");
      StoreConfig store =
          new StoreConfig(home.text("kind", "rocksdb"), home.texts("options", "store options"));
      home.refuseUnknown();
      boolean runsTasks =
          reader.choice("rollup-tasks", List.of("leave", "run"), "leave").equals("run");
      if (runsTasks && access.equals("read-only")) {
        reader.problem(
            "rollup-tasks",
            "is 'run', but tasks write what they compute, and need attach: co-write");
      }
      if (!access.equals("no")) {
        return new Attached(
            access.equals("co-write") ? Access.CO_WRITE : Access.READ_ONLY,
            tables,
            reader.has("home") ? store : null,
            runsTasks);
      }
      for (String key : List.of("tables", "home", "rollup-tasks")) {
        if (reader.has(key)) {
          reader.problem(
              key,
              "is said of tables that another server has made, and needs attach: read-only or co-write");
        }
      }
      return null;
    }

    private List<DatasetConfig.PeriodConfig> periods() {
      List<DatasetConfig.PeriodConfig> periods = new ArrayList<>();
      List<StorageLayout> first = layouts(reader);
      if (!first.isEmpty()) {
        periods.add(new DatasetConfig.PeriodConfig(Instant.MIN, first, !reader.has("layout")));
      }
      for (ConfigReader item : reader.list("periods")) {
        List<StorageLayout> layouts = layouts(item);
        Instant from = from(item);
        if (!layouts.isEmpty() && from != null) {
          periods.add(new DatasetConfig.PeriodConfig(from, layouts, !item.has("layout")));
        }
        item.refuseUnknown();
      }
      return periods;
    }

    private static @Nullable Instant from(ConfigReader item) {
      String text = item.text("from");
      if (text == null) {
        item.problem("from", "is missing (an instant such as 2027-01-01T00:00:00Z)");
        return null;
      }
      try {
        return Instant.parse(text);
      } catch (DateTimeParseException e) {
        item.problem("from", "'" + text + "' is not an instant such as 2027-01-01T00:00:00Z");
        return null;
      }
    }

    /** Reads the primary layout and its companions; without a layout, the default applies. */
    private List<StorageLayout> layouts(ConfigReader item) {
      List<StorageLayout> layouts = new ArrayList<>();
      add(
          item,
          "layout",
          item.text("layout", defaultLayout(item)),
          item.texts("parameters", "layout parameters"),
          layouts);
      for (String companion : item.texts("companions")) {
        add(item, "companions", companion, Map.of(), layouts);
      }
      return layouts;
    }

    /**
     * Returns the layout of a period that names none: blocks, unless the store or what else is
     * declared needs cells.
     */
    private String defaultLayout(ConfigReader item) {
      String kind = reader.below("store").text("kind", "rocksdb");
      boolean needsCells =
          !Set.of("rocksdb", "memory").contains(kind)
              || reader.has("attach")
              || !item.texts("companions").isEmpty()
              || !BlockLayout.knows(item.texts("parameters", "layout parameters").keySet());
      return needsCells ? Layouts.OF_CELLS : Layouts.DEFAULT;
    }

    private void add(
        ConfigReader item,
        String key,
        String layout,
        Map<String, String> parameters,
        List<StorageLayout> into) {
      try {
        boolean isFile = layout.endsWith(".yaml") || layout.endsWith(".yml");
        into.addAll(
            Layouts.stored(isFile ? Files.readString(folder.resolve(layout)) : layout, parameters));
      } catch (RefusedException | IllegalArgumentException e) {
        item.problem(key, String.valueOf(e.getMessage()));
      } catch (IOException e) {
        item.problem(key, "cannot read '" + folder.resolve(layout) + "'");
      }
    }
  }
}
