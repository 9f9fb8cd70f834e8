package dev.varve.bench.originals;

import dev.varve.bench.compare.Connection;
import dev.varve.bench.compare.ProcessFigures;
import dev.varve.devstores.CassandraNode;
import dev.varve.devstores.Jvm;
import dev.varve.devstores.KairosDb;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** KairosDB and Varve on one keyspace of Cassandra. */
final class KairosDbStage implements Stage {
  private static final String KEYSPACE = "kairosdb";
  private static final int SERIES_OF_WRITE = 10;

  private final Fleet fleet;
  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private final CassandraNode cassandra;
  private final Contestant original;
  private final List<Contestant> others = new ArrayList<>();

  KairosDbStage(Options options, Path folder) throws IOException {
    this.fleet = new Fleet(options.series(), options.samples());
    try {
      cassandra = CassandraNode.measured(folder.resolve("cassandra"));
      started.push(cassandra);
      KairosDb kairos =
          KairosDb.start(
              folder.resolve("kairosdb"), Jvm.FULL, cassandra.address(), KEYSPACE, Map.of());
      started.push(kairos);
      original = new Contestant("KairosDB", kairos.port(), "", new ProcessFigures(kairos.pid()));
      VarveOnTables varve = varve("varve", options.launcher(), folder);
      load(varve);
      Path before = options.before();
      if (before != null) {
        varve("before", before, folder);
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private VarveOnTables varve(String name, Path launcher, Path folder) throws IOException {
    Map<String, String> store = new HashMap<>(cassandra.options());
    store.put("keyspace", KEYSPACE);
    VarveOnTables varve =
        VarveOnTables.start(name, launcher, folder.resolve(name), "kairosdb", "cassandra", store);
    started.push(varve);
    others.add(varve.contestant());
    return varve;
  }

  private void load(VarveOnTables into) throws IOException {
    try (Connection connection = new Connection(into.contestant().port())) {
      List<String> body = new ArrayList<>();
      fleet.each((tags, values) -> {
        body.add(series(tags, values));
        if (body.size() == SERIES_OF_WRITE) {
          into.write(connection, "/api/v1/datapoints", "[" + String.join(",", body) + "]");
          body.clear();
        }
      });
      into.write(connection, "/api/v1/datapoints", "[" + String.join(",", body) + "]");
    }
  }

  private static String series(String tags, double[] values) {
    StringBuilder text = new StringBuilder();
    text.append("{\"name\":\"%s\",\"tags\":%s,\"datapoints\":[".formatted(Fleet.METRIC, tags));
    for (int i = 0; i < values.length; i++) {
      text.append(i == 0 ? "[" : ",[").append(Fleet.time(i)).append(',');
      text.append(Fleet.text(values[i])).append(']');
    }
    return text.append("]}").toString();
  }

  @Override
  public String title() {
    return "KairosDB 1.3.0-1 and Varve on the tables of one Cassandra";
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
    return new ProcessFigures(cassandra.pid());
  }

  @Override
  public List<Question> questions() {
    String some = "\"host\":[" + fleet.someHosts(",", "\"") + "]";
    String one = "\"cpu\":[\"1\"],\"host\":[" + fleet.someHosts(",", "\"").split(",", 2)[0] + "]";
    String byHost = "[{\"name\":\"tag\",\"tags\":[\"host\"]}]";
    String query = "/api/v1/datapoints/query";
    return List.of(
        Question.post("one series raw", query, query(one, "", "[]")),
        Question.post(
            fleet.someSeries() + " series averaged by host",
            query,
            query(some, window("avg", ""), byHost)),
        Question.post(
            fleet.seriesInEast() + " series summed",
            query,
            query("\"dc\":[\"east\"]", window("sum", ""), "[]")),
        Question.post(
            fleet.someSeries() + " series, 95th percentile",
            query,
            query(some, window("percentile", ",\"percentile\":0.95"), "[]")),
        Question.post("tags", query + "/tags", query("\"dc\":[\"east\"]", "", "[]")),
        Question.get("metric names", "/api/v1/metricnames"));
  }

  private String query(String tags, String aggregators, String groups) {
    return "{\"start_absolute\":%d,\"end_absolute\":%d,\"metrics\":[{\"name\":\"%s\",\"tags\":{%s},\"aggregators\":[%s],\"group_by\":%s}]}"
        .formatted(fleet.from(), fleet.last(), Fleet.METRIC, tags, aggregators, groups);
  }

  private static String window(String name, String more) {
    return "{\"name\":\"%s\"%s,\"sampling\":{\"value\":5,\"unit\":\"minutes\"}}"
        .formatted(name, more);
  }

  @Override
  public void close() {
    Closing.all(started);
  }
}
