package dev.varve.cli.config;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.layout.opentsdb.RollupConfig;
import dev.varve.layout.opentsdb.RollupInterval;
import dev.varve.server.ServerConfig.Feed;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.http.ConnectionLimits;
import dev.varve.server.queries.QueryOptions;
import dev.varve.server.rules.RuleFiles;
import dev.varve.server.rules.RulesConfig;
import dev.varve.server.scrape.Scrapes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The table of all configuration keys. {@code varve config} prints the effective value of every
 * row, its help lists the names, and a test compares them with what {@link VarveConfig} reads and
 * with the documentation.
 *
 * <p>In a name, {@code []} stands for the index of a list item and {@code NAME} for a name that the
 * user chooses.
 */
public final class ConfigKeys {
  private ConfigKeys() {}

  /**
   * One or several keys that are shown together.
   *
   * @param names of the keys
   * @param print emits the effective values; nothing if an optional key is absent
   */
  private record Row<T>(List<String> names, BiConsumer<T, Entries> print) {}

  /** Receives keys with their effective values. */
  @FunctionalInterface
  public interface Entries {
    void add(String key, Object value);

    /** Adds a value unless it is absent: null, or an empty collection. */
    default void addIfPresent(String key, @Nullable Object value) {
      if (value instanceof Collection<?> all) {
        if (!all.isEmpty()) {
          add(key, String.join(",", all.stream().map(String::valueOf).sorted().toList()));
        }
      } else if (value != null) {
        add(key, value);
      }
    }

    private Entries below(String prefix) {
      return (key, value) -> add(prefix + key, value);
    }
  }

  private static final List<Row<VarveConfig>> ALL =
      rows(
          key("data", config -> config.engine().directory()),
          key("memory", config -> config.engine().memory()),
          key("default", config -> config.engine().defaultDataset()),
          each("listen[]", "", ConfigKeys::listeners, listener()),
          below("scrape", VarveConfig::scrape, scrape()),
          below("connections", config -> config.http().connections(), connections()),
          key("web.origins", config -> config.web().origins()),
          key("web.hosts", config -> config.web().hosts()),
          key("web.cors-origins", config -> config.web().corsOrigins()),
          key("web.config-file", config -> config.access().web()),
          key("web.users-file", config -> config.access().users()),
          key("allow-anonymous", config -> config.access().allowAnonymous()),
          key("deletes", config -> config.deletes() ? "allow" : "loopback"),
          key("heap-dump", VarveConfig::heapDump),
          key("log-format", config -> config.log().text()),
          key("backup.directory", config -> config.engine().backups()),
          key("write.body", config -> config.http().body()),
          key("write.decoded-body", config -> config.http().decodedBody()),
          key("write.memory", config -> config.http().memory()),
          key("write.labels", config -> config.door().limits().labels()),
          key("write.label-name", config -> config.door().limits().name()),
          key("write.label-value", config -> config.door().limits().value()),
          key("write.fields", config -> config.engine().fields().series()),
          key("write.metric-fields", config -> config.engine().fields().metric()),
          key("write.catalog", config -> config.engine().catalog()),
          key("write.relabel", config -> rules(config.door().rules().size())),
          below("queries", VarveConfig::queries, queries()),
          each("datasets.NAME", ".", ConfigKeys::datasets, dataset()),
          below("rules", ConfigKeys::rulesIfAny, rules()));

  /** Returns the names of all keys, in the order of the table. */
  public static List<String> names() {
    return ALL.stream().flatMap(row -> row.names().stream()).toList();
  }

  /**
   * Emits the effective configuration. Reads the rule files, so that their errors are found too.
   */
  public static void print(VarveConfig config, Entries into) {
    ALL.forEach(row -> row.print().accept(config, into));
  }

  private static List<Row<Listener>> listener() {
    return rows(
        new Row<>(
            List.of("host", "port"),
            (listener, into) -> into.add("", listener.host() + ":" + listener.port())),
        key(".protocol", listener -> listener.feed() == null ? null : listener.feed().protocol()),
        new Row<>(
            List.of("dialects"),
            (listener, into) -> {
              if (!listener.dialects().isEmpty()) {
                into.add(".dialects", String.join(",", listener.dialects()));
              }
            }),
        key(".dataset", Listener::dataset),
        key(".as", Listener::as),
        key(
            ".templates",
            listener ->
                listener.feed() instanceof Feed.Graphite graphite ? graphite.templates() : null),
        key(
            ".precision",
            listener -> listener.feed() instanceof Feed.Influx influx ? influx.precision() : null));
  }

  private static Map<String, Listener> listeners(VarveConfig config) {
    return numbered("listen", config.listeners());
  }

  private static List<Row<Scrapes>> scrape() {
    return rows(
        key("dataset", Scrapes::dataset),
        new Row<>(
            List.of("file", "global", "scrape_configs"),
            (scrape, into) ->
                scrape.jobs().forEach(job -> into.add(job.jobName(), job.interval().toString()))));
  }

  private static List<Row<ConnectionLimits>> connections() {
    return rows(
        key("max", limits -> limits.max()),
        key("per-client", limits -> limits.perClient()),
        key("lines", limits -> limits.lines()),
        key("reserve", limits -> limits.reserve()),
        key("header", limits -> limits.header()),
        key("idle", limits -> limits.idle()),
        key("lines-idle", limits -> limits.linesIdle()),
        key("min-rate", limits -> limits.minRate()),
        key("grace", limits -> limits.grace()),
        key("trusted-proxies", limits -> limits.proxies()));
  }

  private static List<Row<QueryOptions>> queries() {
    return rows(
        key("concurrency", options -> options.capacity().running()),
        key("queue", options -> options.capacity().waiting()),
        key("wait", options -> options.capacity().waitMax()),
        key("time", options -> options.limits().time()),
        key("series", options -> options.limits().series()),
        key("samples", options -> options.limits().samples()),
        key("cells", options -> options.limits().cells()),
        key("bytes", options -> options.limits().bytes()),
        key("points", options -> options.limits().points()),
        key("steps", options -> options.limits().steps()),
        key("memory", options -> options.limits().memory()),
        key("pool", options -> options.capacity().memory()),
        key("slow", options -> options.slow()));
  }

  private static Map<String, DatasetConfig> datasets(VarveConfig config) {
    Map<String, DatasetConfig> all = new LinkedHashMap<>();
    config.engine().datasets().forEach(dataset -> all.put("datasets." + dataset.name(), dataset));
    return all;
  }

  private static List<Row<DatasetConfig>> dataset() {
    return rows(
        new Row<>(
            List.of("store.kind", "store.options"),
            (dataset, into) -> into.add("store", dataset.store().kind())),
        new Row<>(
            List.of("layout", "parameters", "companions"),
            (dataset, into) -> print(dataset.periods().getFirst(), into)),
        each("periods[]", ".", ConfigKeys::periods, period()),
        key("retention", dataset -> dataset.retention() == null ? "for ever" : dataset.retention()),
        key("duplicates", dataset -> dataset.duplicates().name().toLowerCase(Locale.ROOT)),
        new Row<>(
            List.of("resources"),
            (dataset, into) -> into.add("resources", String.join(",", dataset.resources()))),
        key(
            "rollups",
            dataset -> {
              RollupConfig rollups = dataset.rollups();
              return rollups == null
                  ? null
                  : rollups.intervals().stream()
                      .map(RollupInterval::text)
                      .collect(Collectors.joining(","));
            }),
        key("histograms", DatasetConfig::histograms),
        key("journal", dataset -> dataset.journal().sync().name().toLowerCase(Locale.ROOT)),
        key("journal-size", dataset -> dataset.journal().maxBytes()),
        key("scans", dataset -> dataset.wholeTableScans() ? "allow" : "refuse"),
        key(
            "attach",
            dataset -> ofAttached(dataset, dataset.isReadOnly() ? "read-only" : "co-write")),
        key(
            "rollup-tasks",
            dataset -> {
              Attached attached = dataset.attached();
              return attached == null ? null : attached.runsTasks() ? "run" : "leave";
            }),
        new Row<>(
            List.of("tables"),
            (dataset, into) -> {
              if (dataset.attached() != null) {
                new TreeMap<>(dataset.attached().tables())
                    .forEach((table, name) -> into.add("tables." + table, name));
              }
            }),
        new Row<>(
            List.of("home.kind", "home.options"),
            (dataset, into) ->
                into.addIfPresent("home", ofAttached(dataset, dataset.home().kind()))),
        key("refresh", dataset -> ofAttached(dataset, dataset.refresh().within())),
        key("rescan", dataset -> ofAttached(dataset, dataset.refresh().rescan())),
        key("believed", dataset -> ofAttached(dataset, dataset.refresh().believed())),
        key("rescan-rows", dataset -> ofAttached(dataset, dataset.refresh().rowsPerSecond())));
  }

  /** Returns a value that matters only for tables that other servers write; null for others. */
  private static @Nullable Object ofAttached(DatasetConfig dataset, Object value) {
    return dataset.attached() == null ? null : value;
  }

  private static Map<String, PeriodConfig> periods(DatasetConfig dataset) {
    return numbered("periods", dataset.periods().subList(1, dataset.periods().size()));
  }

  private static List<Row<PeriodConfig>> period() {
    return rows(
        key("from", PeriodConfig::from),
        new Row<>(List.of("layout", "parameters", "companions"), ConfigKeys::print));
  }

  private static void print(PeriodConfig period, Entries into) {
    into.add("layout", period.layouts().getFirst().identity());
    for (int i = 1; i < period.layouts().size(); i++) {
      into.add("companions[" + (i - 1) + "]", period.layouts().get(i).identity());
    }
  }

  private static @Nullable RulesConfig rulesIfAny(VarveConfig config) {
    return config.rules().isEmpty() ? null : config.rules();
  }

  private static List<Row<RulesConfig>> rules() {
    return rows(
        new Row<>(List.of("files"), (rules, into) -> files("files", rules.files(), rules, into)),
        new Row<>(
            List.of("datasets.NAME"),
            (rules, into) ->
                new TreeMap<>(rules.datasets())
                    .forEach((name, files) -> files("datasets." + name, files, rules, into))),
        key("interval", RulesConfig::interval),
        key("query-offset", RulesConfig::queryOffset),
        key("timeout", RulesConfig::timeout),
        key("concurrency", RulesConfig::concurrency),
        key("outage-tolerance", RulesConfig::outageTolerance),
        key("for-grace-period", RulesConfig::forGracePeriod),
        key("resend-delay", RulesConfig::resendDelay),
        key("reread", rules -> rules.reread() == null ? "never" : rules.reread()),
        key("external-url", RulesConfig::externalUrl),
        new Row<>(
            List.of("external-labels"),
            (rules, into) ->
                rules
                    .externalLabels()
                    .forEach((name, value) -> into.add("external-labels." + name, value))),
        key("queue", rules -> rules.alerting().queue()),
        key("alert-relabel", rules -> rules(rules.alerting().relabelling().size())),
        each("alertmanagers[]", ".", ConfigKeys::alertmanagers, alertmanager()));
  }

  private static void files(String key, List<Path> patterns, RulesConfig rules, Entries into) {
    for (Path file : RuleFiles.find(patterns)) {
      int groups = RuleFiles.read(List.of(file), rules.interval()).size();
      into.add(key, file + ", " + groups + " groups");
    }
  }

  private static Map<String, RulesConfig.Alertmanager> alertmanagers(RulesConfig rules) {
    return numbered("alertmanagers", rules.alerting().alertmanagers());
  }

  private static List<Row<RulesConfig.Alertmanager>> alertmanager() {
    return rows(
        key("url", RulesConfig.Alertmanager::url),
        key("timeout", RulesConfig.Alertmanager::timeout),
        key("user", RulesConfig.Alertmanager::user),
        key("password-file", RulesConfig.Alertmanager::passwordFile),
        key("token-file", RulesConfig.Alertmanager::tokenFile));
  }

  private static @Nullable String rules(int count) {
    return count == 0 ? null : count + " rules";
  }

  private static <T> Map<String, T> numbered(String key, List<T> items) {
    Map<String, T> all = new LinkedHashMap<>();
    for (int i = 0; i < items.size(); i++) {
      all.put(key + "[" + i + "]", items.get(i));
    }
    return all;
  }

  @SafeVarargs
  @SuppressWarnings("varargs") // List.of only reads them.
  private static <T> List<Row<T>> rows(Row<T>... rows) {
    return List.of(rows);
  }

  private static <T> Row<T> key(String name, Function<T, @Nullable Object> value) {
    String bare = name.startsWith(".") ? name.substring(1) : name;
    return new Row<>(List.of(bare), (config, into) -> into.addIfPresent(name, value.apply(config)));
  }

  /** Returns the rows of a section as one row of the whole; a null section prints nothing. */
  private static <T, S> Row<T> below(
      String section, Function<T, @Nullable S> part, List<Row<S>> rows) {
    return new Row<>(
        namesBelow(section, rows),
        (config, into) -> {
          S found = part.apply(config);
          if (found != null) {
            rows.forEach(row -> row.print().accept(found, into.below(section + ".")));
          }
        });
  }

  /**
   * Returns the rows of every part of a list or mapping as one row of the whole.
   *
   * @param separator between the name of a part and its keys
   * @param parts the parts with their names
   */
  private static <T, S> Row<T> each(
      String section, String separator, Function<T, Map<String, S>> parts, List<Row<S>> rows) {
    return new Row<>(
        namesBelow(section, rows),
        (config, into) ->
            parts
                .apply(config)
                .forEach((name, part) ->
                    rows.forEach(row -> row.print().accept(part, into.below(name + separator)))));
  }

  private static <S> List<String> namesBelow(String section, List<Row<S>> rows) {
    List<String> names = new ArrayList<>();
    rows.forEach(row -> row.names().forEach(name -> names.add(section + "." + name)));
    return names;
  }
}
