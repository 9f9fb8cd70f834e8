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

  private final KairosDbApi api;
  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private final CassandraNode cassandra;
  private final Contestant original;
  private final List<Contestant> others = new ArrayList<>();

  KairosDbStage(Options options, Path folder) throws IOException {
    this.api = new KairosDbApi(new Fleet(options.series(), options.samples()));
    try {
      cassandra = CassandraNode.measured(folder.resolve("cassandra"));
      started.push(cassandra);
      KairosDb kairos =
          KairosDb.start(
              folder.resolve("kairosdb"), Jvm.FULL, cassandra.address(), KEYSPACE, Map.of());
      started.push(kairos);
      original = new Contestant("KairosDB", kairos.port(), "", new ProcessFigures(kairos.pid()));
      VarveProcess varve = varve("varve", options.launcher(), folder);
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

  private VarveProcess varve(String name, Path launcher, Path folder) throws IOException {
    Map<String, String> store = new HashMap<>(cassandra.options());
    store.put("keyspace", KEYSPACE);
    VarveProcess varve =
        VarveProcess.onTables(name, launcher, folder.resolve(name), "kairosdb", "cassandra", store);
    started.push(varve);
    others.add(varve.contestant());
    return varve;
  }

  private void load(VarveProcess into) throws IOException {
    try (Connection connection = new Connection(into.contestant().port())) {
      into.contestant().askAll(connection, api.writes(Fleet.METRIC));
    }
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
  public List<Question> writes(String metric) {
    return api.writes(metric);
  }

  @Override
  public List<Question> questions() {
    return api.questions();
  }

  @Override
  public void close() {
    Closing.all(started);
  }
}
