package dev.varve.bench.originals;

import dev.varve.bench.compare.Connection;
import dev.varve.bench.compare.ProcessFigures;
import dev.varve.devstores.HBaseServer;
import dev.varve.devstores.Jvm;
import dev.varve.devstores.OpenTsdb;
import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.Store;
import dev.varve.store.StoreProviders;
import dev.varve.store.TableSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** OpenTSDB and Varve on the tables of one HBase. */
final class OpenTsdbStage implements Stage {
  private static final Map<String, List<String>> FAMILIES =
      Map.of("tsdb", List.of("t"), "tsdb-uid", List.of("id", "name"));

  private static final Map<String, String> SETTINGS =
      Map.of(
          // Reads would rewrite rows meanwhile.
          "tsd.storage.enable_compaction", "false",
          // It breaks on HBase 2.
          "tsd.query.enable_fuzzy_filter", "false");

  private final Fleet fleet;
  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private final HBaseServer hbase;
  private final Contestant original;
  private final List<Contestant> others = new ArrayList<>();

  OpenTsdbStage(Options options, Path folder) throws IOException {
    this.fleet = new Fleet(options.series(), options.samples());
    try {
      hbase = HBaseServer.start(folder.resolve("hbase"), Jvm.FULL);
      started.push(hbase);
      makeTables(folder);
      OpenTsdb openTsdb =
          OpenTsdb.start(folder.resolve("opentsdb"), Jvm.FULL, hbase.quorum(), SETTINGS);
      started.push(openTsdb);
      original =
          new Contestant(
              "OpenTSDB", openTsdb.address().getPort(), "", new ProcessFigures(openTsdb.pid()));
      load(varve("varve", options.launcher(), folder));
      Path before = options.before();
      if (before != null) {
        varve("before", before, folder);
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private void makeTables(Path folder) {
    try (Store store =
        StoreProviders.of("hbase").open(folder.resolve("unused"), 64 << 20, hbase.options())) {
      FAMILIES.forEach((name, families) ->
          store
              .open(
                  new TableSpec(
                      name,
                      families.stream().map(FamilySpec::latest).toList(),
                      Resolution.MILLISECONDS,
                      Partitioning.NONE),
                  Store.OpenMode.CREATE_IF_ABSENT)
              .close());
    }
  }

  private VarveProcess varve(String name, Path launcher, Path folder) throws IOException {
    VarveProcess varve =
        VarveProcess.onTables(
            name, launcher, folder.resolve(name), "opentsdb", "hbase", hbase.options());
    started.push(varve);
    others.add(varve.contestant());
    return varve;
  }

  private void load(VarveProcess into) throws IOException {
    try (Connection connection = new Connection(into.contestant().port())) {
      into.contestant().askAll(connection, writes(Fleet.METRIC));
    }
  }

  private static String points(String metric, String tags, double[] values) {
    StringBuilder text = new StringBuilder("[");
    for (int i = 0; i < values.length; i++) {
      text.append(i == 0 ? "" : ",")
          .append("{\"metric\":\"%s\",\"tags\":%s".formatted(metric, tags))
          .append(",\"timestamp\":")
          .append(Fleet.time(i) / 1000)
          .append(",\"value\":")
          .append(Fleet.text(values[i]))
          .append('}');
    }
    return text.append(']').toString();
  }

  @Override
  public String title() {
    return "OpenTSDB 2.4.0 and Varve on the tables of one HBase";
  }

  @Override
  public Contestant original() {
    return original;
  }

  @Override
  public List<Contestant> others() {
    return others;
  }

  @Override
  public ProcessFigures store() {
    return new ProcessFigures(hbase.pid());
  }

  @Override
  public List<Question> writes(String metric) {
    List<Question> writes = new ArrayList<>();
    fleet.each((tags, values) ->
        writes.add(Question.post("writes", "/api/put", points(metric, tags, values))));
    return writes;
  }

  @Override
  public List<Question> questions() {
    String hosts = fleet.someHosts("|", "");
    String one = fleet.someHosts(",", "").split(",", 2)[0];
    return List.of(
        query(
            "one series raw",
            "sum",
            "",
            filter("host", one, true) + "," + filter("cpu", "1", true)),
        query(
            fleet.someSeries() + " series averaged by host",
            "avg",
            "5m-avg",
            filter("host", hosts, true)),
        query(
            fleet.seriesInEast() + " series summed", "sum", "5m-sum", filter("dc", "east", false)),
        query(
            fleet.someSeries() + " series, 95th percentile",
            "p95",
            "5m-avg",
            filter("host", hosts, false)),
        Question.get("tags", "/api/suggest?type=tagv&max=10000"),
        Question.get("metric names", "/api/suggest?type=metrics&max=10000"));
  }

  private Question query(String name, String aggregator, String downsample, String filters) {
    return Question.post(
        name,
        "/api/query",
        "{\"start\":%d,\"end\":%d,\"queries\":[{\"metric\":\"%s\",\"aggregator\":\"%s\"%s,\"filters\":[%s]}]}"
            .formatted(
                fleet.from() / 1000,
                fleet.last() / 1000,
                Fleet.METRIC,
                aggregator,
                downsample.isEmpty() ? "" : ",\"downsample\":\"" + downsample + "\"",
                filters));
  }

  private static String filter(String tag, String values, boolean groupBy) {
    return "{\"type\":\"literal_or\",\"tagk\":\"%s\",\"filter\":\"%s\",\"groupBy\":%s}"
        .formatted(tag, values, groupBy);
  }

  @Override
  public void close() {
    Closing.all(started);
  }
}
