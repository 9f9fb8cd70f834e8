package dev.varve.matrix.differential;

import dev.varve.devstores.HBaseServer;
import dev.varve.devstores.OpenTsdb;
import dev.varve.matrix.RealStores;
import dev.varve.matrix.VarveServer;
import dev.varve.model.Resolution;
import dev.varve.server.opentsdb.rollup.RollupFile;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreProviders;
import dev.varve.store.TableSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** OpenTSDB 2.4.0 and Varve get the same random points and requests, and answer alike. */
@Execution(ExecutionMode.CONCURRENT)
class OpenTsdbDifferentialIT {
  private static final int REQUESTS = Integer.getInteger("varve.differential.requests", 500);

  /** Another seed may find another difference, which must not fail an unrelated change. */
  private static final long SEED = Long.getLong("varve.seed", 22);

  /** The original writes what it has buffered every second. */
  private static final Duration UNTIL_DELETED = Duration.ofMillis(1500);

  private static final String TABLE = "differential";

  private static final Path PAGES = Path.of("..", "docs", "api");

  private static final Map<String, List<String>> FAMILIES =
      Map.of(
          "",
          List.of("t"),
          "-uid",
          List.of("id", "name"),
          "-meta",
          List.of("name"),
          "-tree",
          List.of("t"));

  private static final Pattern UID = Pattern.compile("\"([^\"]+)\":\"[^\"]*UID: ([0-9A-F]+)\"");

  @TempDir private static Path directory;

  @Test
  void answersAsOpenTsdbDoes() {
    Choices choices = new Choices(SEED);
    String layout = choices.pick("blocks", "blocks", "opentsdb");
    HBaseServer hbase = RealStores.hbase();
    makeTables(hbase);
    try (OpenTsdb openTsdb =
            OpenTsdb.start(directory.resolve("opentsdb"), hbase.quorum(), settings());
        VarveServer varve =
            VarveServer.start(
                directory.resolve("varve"),
                Datasets.dataset(layout)
                    .with(RollupFile.read(OpenTsdbRollups.config(TABLE), "rollups"))
                    .withHistograms(OpenTsdbHistograms.CODEC))) {
      Trial trial =
          new Trial(
              "OpenTSDB 2.4.0 (in layout " + layout + ")",
              SEED,
              new Server(openTsdb.address(), ""),
              new Server(varve.address(), "/opentsdb"),
              OpenTsdbRules.all());
      run(trial, choices);
      trial.end(
          List.of(PAGES.resolve("opentsdb.md"), PAGES.resolve("opentsdb-telnet.md")),
          Path.of("target", "differential", "opentsdb.md"),
          choices.options());
    }
  }

  private static Map<String, String> settings() {
    return Map.ofEntries(
        Map.entry("tsd.core.histograms.config", OpenTsdbHistograms.CONFIG),
        Map.entry("tsd.rollups.enable", "true"),
        Map.entry("tsd.rollups.config", OpenTsdbRollups.config(TABLE)),
        Map.entry("tsd.storage.hbase.data_table", TABLE),
        Map.entry("tsd.storage.hbase.uid_table", TABLE + "-uid"),
        Map.entry("tsd.storage.hbase.meta_table", TABLE + "-meta"),
        Map.entry("tsd.storage.hbase.tree_table", TABLE + "-tree"),
        // A catalog of series, as Varve has it.
        Map.entry("tsd.core.meta.enable_tsuid_tracking", "true"),
        Map.entry("tsd.http.query.allow_delete", "true"),
        Map.entry("tsd.http.show_stack_trace", "false"),
        // Reads would rewrite rows meanwhile.
        Map.entry("tsd.storage.enable_compaction", "false"),
        // It breaks on HBase 2.
        Map.entry("tsd.query.enable_fuzzy_filter", "false"));
  }

  private static void makeTables(HBaseServer hbase) {
    try (Store store =
        StoreProviders.of("hbase").open(directory.resolve("unused"), 64 << 20, hbase.options())) {
      Map<String, List<String>> families = new TreeMap<>(FAMILIES);
      OpenTsdbRollups.TABLES.forEach(suffix -> families.put(suffix, List.of("t")));
      families.forEach((suffix, names) ->
          store
              .open(
                  new TableSpec(
                      TABLE + suffix,
                      names.stream().map(FamilySpec::latest).toList(),
                      Resolution.MILLISECONDS,
                      Partitioning.NONE),
                  OpenMode.CREATE_IF_ABSENT)
              .close());
    }
  }

  private static void run(Trial trial, Choices choices) {
    OpenTsdbPoints.names().forEach(trial.original()::send);
    OpenTsdbPoints.writes(choices).forEach(trial::send);
    OpenTsdbRollups rollups = new OpenTsdbRollups(choices);
    rollups.writes().forEach(trial::send);
    OpenTsdbHistograms histograms = new OpenTsdbHistograms(choices);
    histograms.writes().forEach(trial::send);
    learn(trial.original());
    learn(trial.varve());
    OpenTsdbRequests requests = new OpenTsdbRequests(choices, rollups, histograms);
    OpenTsdbTelnet telnet = new OpenTsdbTelnet(choices);
    List<String> changed = new ArrayList<>();
    for (int i = 0; i < REQUESTS / 10; i++) {
      Case both = trial.send(requests.write());
      if (!both.equal()) {
        changed.add(requests.written().getLast());
      }
    }
    for (int i = 0; i < REQUESTS / 10; i++) {
      trial.send(telnet.any());
    }
    while (trial.requests() < REQUESTS * 8 / 10) {
      sendAny(trial, requests);
    }
    List<String> written = requests.written();
    written.removeAll(changed);
    OpenTsdbRequests.read(written).forEach(trial::send);
    rollups.reads().forEach(trial::send);
    histograms.reads().forEach(trial::send);
    telnet.reads().forEach(trial::send);
    while (trial.requests() < REQUESTS * 95 / 100) {
      sendAny(trial, requests);
    }
    // What was read before depends on the seed and may be more than the rest.
    int end = trial.requests() + REQUESTS / 20;
    while (trial.requests() < end) {
      requests.delete(trial::send, trial::sendOnceSettled);
    }
  }

  private static void sendAny(Trial trial, OpenTsdbRequests requests) {
    Request request = requests.any();
    trial.send(request);
    if (request.has("endpoint DELETE uid/tsmeta")) {
      // The original answers before it has deleted.
      Awaitility.await().pollDelay(UNTIL_DELETED).until(() -> true);
    }
  }

  /** Asks a server for the UIDs and TSUIDs that requests and answers contain. */
  private static void learn(Server server) {
    Map<String, String> found = new TreeMap<>();
    for (String metric : OpenTsdbPoints.METRICS) {
      String path =
          "/api/query?start=%d&end=%d&show_tsuids&m=none:%s"
              .formatted(OpenTsdbPoints.START, OpenTsdbPoints.END + 90_000, metric);
      Object answer = JsonTree.read(server.send(new Request("GET", path, null, Set.of())).body());
      for (Object one : (List<?>) Objects.requireNonNull(answer)) {
        Map<?, ?> series = (Map<?, ?>) one;
        List<?> tsuids = (List<?>) Objects.requireNonNull(series.get("tsuids"));
        String tsuid = String.valueOf(tsuids.getFirst());
        String name = new TreeMap<>((Map<?, ?>) series.get("tags")).toString().replace(" ", "");
        found.put("@tsuid." + metric + name + "@", tsuid);
      }
    }
    Request uids = new Request("GET", "/api/uid/assign?metric=sys.int", null, Set.of());
    Matcher uid = UID.matcher(server.send(uids).body());
    if (uid.find()) {
      server.aliases().put("@uid.metric.sys.int@", uid.group(2));
    }
    Map<String, String> longest = new LinkedHashMap<>();
    found.entrySet().stream()
        .sorted(Comparator.comparingInt(entry -> -entry.getValue().length()))
        .forEach(entry -> longest.put(entry.getKey(), entry.getValue()));
    server.names().putAll(longest);
  }
}
