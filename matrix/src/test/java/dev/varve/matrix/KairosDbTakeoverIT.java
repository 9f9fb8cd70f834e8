package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.devstores.CassandraNode;
import dev.varve.devstores.KairosDb;
import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.attach.Inspection.Candidate;
import dev.varve.engine.attach.TableInspector;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.Access;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.Refresh;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.InvalidConfigException;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Store;
import dev.varve.store.StoreProviders;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The original KairosDB and Varve share tables: what one writes, overwrites or deletes, the other
 * reads.
 */
@Execution(ExecutionMode.CONCURRENT)
class KairosDbTakeoverIT {
  private static final int POINTS = Integer.getInteger("varve.takeover.points", 2000);
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final long ROW = KairosDbStory.ROW;
  private static final long NOW = 1_700_000_000_000L;
  private static final String METRIC = "borders of rows";
  private static final String NEW = "kairosdb";
  private static final String OLD = "of_the_thrift_days";
  private static final String WHOLE = "deleted whole";
  private static final int TTL_SECONDS = 20;

  /** The setting that KairosDB has, too. */
  private static final Map<String, String> TAG_INDEXED =
      Map.of(
          "tagIndexed",
          KairosDbStory.INDEXED + "(" + String.join(",", KairosDbStory.INDEXED_TAGS) + ")");

  private static final Pattern TASK = Pattern.compile("\"id\":\"([^\"]+)\"");

  private static final Duration BELIEVED = Duration.ofSeconds(2);

  @TempDir private static Path directory;
  private static CassandraNode cassandra;
  private static KairosDb kairos;

  private final Map<Tags, TreeMap<Long, Value>> model = new HashMap<>();
  private final Random random = new Random(7);

  @BeforeAll
  static void start() {
    cassandra = CassandraNode.alone(directory.resolve("cassandra"));
    kairos = kairos(NEW);
  }

  @AfterAll
  static void stop() {
    kairos.close();
    cassandra.close();
  }

  private static KairosDb kairos(String keyspace) {
    return KairosDb.start(
        directory.resolve("kairosdb-" + keyspace),
        cassandra.address(),
        keyspace,
        Map.of(KairosDbStory.INDEXED, KairosDbStory.INDEXED_TAGS));
  }

  private static KairosDbClient client(KairosDb server) {
    return new KairosDbClient(URI.create("http://127.0.0.1:" + server.port()));
  }

  private static KairosDbClient client() {
    return client(kairos);
  }

  private static Map<String, String> options(String keyspace) {
    Map<String, String> options = new HashMap<>(cassandra.options());
    options.put("keyspace", keyspace);
    return options;
  }

  private static DatasetConfig dataset(
      String keyspace, Map<String, String> parameters, Access access) {
    return dataset(keyspace, parameters, access, BELIEVED);
  }

  private static DatasetConfig dataset(
      String keyspace, Map<String, String> parameters, Access access, Duration believed) {
    return new DatasetConfig(
            "taken",
            new StoreConfig("cassandra", options(keyspace)),
            List.of(new PeriodConfig(Instant.MIN, List.of(Layouts.of("kairosdb", parameters)))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false)
        .with(new Refresh(Duration.ofMillis(200), Duration.ofSeconds(1), believed))
        .with(new Attached(access, Map.of(), new StoreConfig("rocksdb", Map.of())));
  }

  private static Engine open(String folder, DatasetConfig dataset) {
    Engine engine =
        Engine.open(
            new EngineConfig(
                directory.resolve(folder), RunningStore.MEMORY, List.of(dataset), dataset.name()));
    await().atMost(Duration.ofSeconds(60)).until(engine.defaultDataset()::isCatalogComplete);
    return engine;
  }

  private static Engine open() {
    return open("varve", dataset(NEW, TAG_INDEXED, Access.CO_WRITE));
  }

  /** Returns the parameters that {@code attach} finds for a keyspace. */
  private static List<Map<String, String>> inspected(String keyspace) {
    try (Store store =
        StoreProviders.of("cassandra")
            .open(directory.resolve("unused"), RunningStore.MEMORY, options(keyspace))) {
      return new TableInspector(store, "kairosdb", Map.of(), Map.of())
          .inspect().whole().stream().map(Candidate::parameters).toList();
    }
  }

  @Test
  void eachReadsWhatTheOtherWrites() {
    try (Engine engine = open()) {
      Dataset varve = engine.dataset("taken");
      writeByKairosDb();
      awaitVarve(varve);
      writeByVarve(varve);
      awaitVarve(varve);
      awaitKairosDb();

      overwriteByVarve(varve);
      awaitKairosDb();
      overwriteByKairosDb();
      awaitVarve(varve);

      deleteByKairosDb();
      awaitKairosDb();
      awaitVarve(varve);
    }
    try (Engine engine = open()) {
      assertThat(readByVarve(engine.dataset("taken"))).isEqualTo(model);
    }
  }

  /** Clients keep working if only the address changes. */
  @Test
  void bothAnswerTheSameRequests() {
    try (VarveServer server =
            VarveServer.start(
                directory.resolve("served"), dataset(NEW, TAG_INDEXED, Access.CO_WRITE));
        TagIndexRows tagIndex = new TagIndexRows(cassandra.address(), NEW)) {
      KairosDbClient varve = new KairosDbClient(server.address());
      Ending ending = Ending.begin(client(), varve);
      KairosDbStory story = new KairosDbStory(client(), varve, SEED);
      story.tell(POINTS);
      ending.check();
      assertThat(varve.metricNames()).contains("taken over");
      assertThat(client().metricNames()).contains("taken over");

      tagIndex.check();
      checkInspected(NEW, "milliseconds");
      tagIndex.delete("host=plain");
      story.checkWithoutTagIndexOf("plain");
    }
  }

  /** {@code attach} sees the indexed tags of its three rows. */
  private static void checkInspected(String keyspace, String unit) {
    assertThat(inspected(keyspace))
        .singleElement()
        .satisfies(found -> {
          assertThat(found).containsOnlyKeys("unit", "tagIndexed").containsEntry("unit", unit);
          assertThat(found.get("tagIndexed")).matches("\u00fcber:\\\\ alles=\u2603\\(.*host.*\\)");
        });
  }

  /** Texts of the metadata service are in KairosDB's table. */
  @Test
  void bothKeepTheSameTexts() {
    try (VarveServer server =
        VarveServer.start(directory.resolve("texts"), dataset(NEW, TAG_INDEXED, Access.CO_WRITE))) {
      KairosDbClient varve = new KairosDbClient(server.address());
      KairosDbClient original = client();
      for (int i = 0; i < 3; i++) {
        String text = "{\"at\":%d,\"text\":\"Z\u00fcrich \ud83d\ude00\"}".formatted(i);
        KairosDbClient writer = i % 2 == 0 ? varve : original;
        writer.keep("a", text);
        assertThat(original.kept("a")).isEqualTo(text);
        assertThat(varve.kept("a")).isEqualTo(text);
      }
      original.keep("b", "by KairosDB");
      assertThat(varve.keptKeys())
          .isEqualTo(original.keptKeys())
          .contains("\"results\":[\"a\",\"b\"]");
      varve.drop("b");
      original.drop("a");
      for (String key : List.of("a", "b")) {
        assertThat(varve.kept(key)).isEqualTo(original.kept(key)).contains("Key not found");
      }
    }
  }

  /** Roll-up tasks are in KairosDB's table, and each lists and deletes those of the other. */
  @Test
  void bothKeepTheSameTasks() {
    try (VarveServer server =
        VarveServer.start(directory.resolve("tasks"), dataset(NEW, TAG_INDEXED, Access.CO_WRITE))) {
      KairosDbClient varve = new KairosDbClient(server.address());
      for (KairosDbClient creator : List.of(client(), varve)) {
        String id = createTask(creator, "hours");
        String path = "/api/v1/rollups/" + id;
        HttpResponse<String> theirs = client().send("GET", path, "");
        assertThat(theirs.statusCode()).as(theirs.body()).isEqualTo(200);
        assertThat(varve.send("GET", path, "").body()).isEqualTo(theirs.body()).contains(id);
        assertThat(varve.send("GET", "/api/v1/rollups", "").body()).contains(theirs.body());
        assertThat(client().send("GET", "/api/v1/rollups", "").body()).contains(theirs.body());
        KairosDbClient other = creator == varve ? client() : varve;
        assertThat(other.send("DELETE", path, "").statusCode()).isEqualTo(204);
        for (KairosDbClient client : List.of(client(), varve)) {
          assertThat(client.send("GET", path, "").statusCode()).isEqualTo(404);
        }
      }
    }
  }

  /** Varve leaves the tasks of KairosDB alone unless the configuration says that it runs them. */
  @Test
  void tasksRunIfTheConfigurationSaysSo() {
    String id = createTask(client(), "seconds");
    DatasetConfig left = dataset(NEW, TAG_INDEXED, Access.CO_WRITE);
    Attached run =
        new Attached(Access.CO_WRITE, Map.of(), new StoreConfig("rocksdb", Map.of()), true);
    try (VarveServer leaves = VarveServer.start(directory.resolve("leaves"), left);
        VarveServer runs = VarveServer.start(directory.resolve("runs"), left.with(run))) {
      KairosDbClient running = new KairosDbClient(runs.address());
      await()
          .atMost(Duration.ofSeconds(90))
          .untilAsserted(() ->
              assertThat(running.send("GET", "/metrics", "").body())
                  .containsPattern("varve_rollup_executions_total [1-9]"));
      assertThat(running.send("GET", "/metrics", "").body())
          .contains("varve_rollup_failures_total 0.0");
      assertThat(new KairosDbClient(leaves.address()).send("GET", "/metrics", "").body())
          .contains("varve_rollup_executions_total 0.0");
      assertThat(running.send("GET", "/api/v1/rollups/status/" + id, "").body())
          .contains("\"metric_name\":\"" + METRIC + "\"");
    }
    assertThat(client().send("DELETE", "/api/v1/rollups/" + id, "").statusCode()).isEqualTo(204);
  }

  /** Creates a task that runs once per unit and returns its ID. */
  private static String createTask(KairosDbClient creator, String unit) {
    HttpResponse<String> created =
        creator.send(
            "POST",
            "/api/v1/rollups",
            """
            {"name":"Z\u00fcrich","execution_interval":{"value":1,"unit":"%s"},"rollups":[{"save_as":"rolled up",\
            "query":{"start_relative":{"value":1,"unit":"hours"},"metrics":[{"name":"%s","tags":{},\
            "aggregators":[{"name":"sum","sampling":{"value":1,"unit":"minutes"}}]}]}}]}\
            """
                .formatted(unit, METRIC));
    assertThat(created.statusCode()).as(created.body()).isEqualTo(200);
    Matcher id = TASK.matcher(created.body());
    assertThat(id.find()).isTrue();
    return id.group(1);
  }

  /**
   * A row that KairosDB deletes loses its index rows. Varve, which had written them, writes them
   * again: with the next point if its cache no longer trusts them, and otherwise soon after.
   */
  @Test
  void aRowThatIsDeletedWholeIsWrittenAgain() {
    Duration believed = Duration.ofSeconds(4);
    Map<String, Tags> deletes =
        Map.of("whole", Tags.EMPTY, KairosDbStory.INDEXED, Tags.of("host", WHOLE));
    TimeRange row = new TimeRange(NOW - NOW % ROW, NOW - NOW % ROW + ROW);
    Map<Long, Value> points = new TreeMap<>();
    try (VarveServer server =
        VarveServer.start(
            directory.resolve("whole"), dataset(NEW, TAG_INDEXED, Access.CO_WRITE, believed))) {
      KairosDbClient varve = new KairosDbClient(server.address());
      for (Duration pause : List.of(Duration.ZERO, believed.multipliedBy(2))) {
        points.put(NOW, new Value.Int64(pause.toSeconds()));
        putAndAwait(varve, deletes.keySet(), points);
        await().atMost(pause.plusSeconds(10)).pollDelay(pause).until(() -> true);
        deletes.forEach((metric, tags) -> client().delete(metric, tags, row));
        awaitPoints(varve, deletes.keySet(), Map.of());
        points.clear();
        points.put(NOW + 1, new Value.Int64(1));
        putAndAwait(varve, deletes.keySet(), points);
      }
    }
  }

  private static void putAndAwait(
      KairosDbClient varve, Set<String> metrics, Map<Long, Value> points) {
    metrics.forEach(metric -> varve.put(metric, Tags.of("host", WHOLE), points));
    awaitPoints(varve, metrics, points);
  }

  private static void awaitPoints(
      KairosDbClient varve, Set<String> metrics, Map<Long, Value> points) {
    for (String metric : metrics) {
      for (KairosDbClient server : List.of(client(), varve)) {
        await()
            .atMost(Duration.ofSeconds(30))
            .pollDelay(Duration.ZERO)
            .pollInterval(Duration.ofMillis(100))
            .untilAsserted(() ->
                assertThat(server.points(metric, "host", WHOLE, KairosDbStory.TIMES))
                    .as("%s by %s", metric, server == varve ? "Varve" : "KairosDB")
                    .isEqualTo(points));
      }
    }
  }

  /** Points with a time to live: whoever wrote them, first both servers see them, then neither. */
  private record Ending(KairosDbClient kairos, KairosDbClient varve) {
    private static final String METRIC = "ending";
    private static final String BY_KAIROS = "by KairosDB";
    private static final String BY_VARVE = "by Varve";
    private static final Map<Long, Value> ENDING =
        Map.of(NOW, new Value.Int64(1), NOW + 1, new Value.Real(2.5), NOW + 2, new Value.Text("x"));
    private static final Map<Long, Value> STAYING = Map.of(NOW + 3, new Value.Int64(4));

    /** Lets each server write points with a time to live and one without. Both see all of them. */
    static Ending begin(KairosDbClient kairos, KairosDbClient varve) {
      Ending ending = new Ending(kairos, varve);
      write(kairos, BY_KAIROS);
      write(varve, BY_VARVE);
      Map<Long, Value> all = new TreeMap<>(ENDING);
      all.putAll(STAYING);
      ending.await(all);
      return ending;
    }

    private static void write(KairosDbClient client, String host) {
      client.put(METRIC, Tags.of("host", host), ENDING, TTL_SECONDS);
      client.put(METRIC, Tags.of("host", host), STAYING);
    }

    void check() {
      await(STAYING);
    }

    private void await(Map<Long, Value> points) {
      for (String host : List.of(BY_KAIROS, BY_VARVE)) {
        for (KairosDbClient client : List.of(kairos, varve)) {
          Awaitility.await()
              .atMost(Duration.ofSeconds(2 * TTL_SECONDS))
              .pollInterval(Duration.ofMillis(200))
              .untilAsserted(() ->
                  assertThat(client.points(METRIC, "host", host, KairosDbStory.TIMES))
                      .isEqualTo(points));
        }
      }
    }
  }

  /**
   * Takes over a keyspace of KairosDB before 1.2: three tables, and the index of those versions.
   * The test writes its cells by CQL, and KairosDB 1.3, which still reads them, confirms that they
   * are right.
   */
  @Test
  void anOldKeyspaceIsReadAndGoesOn() {
    Map<String, String> legacy = Map.of("unit", "legacy");
    Map<String, String> indexed = new HashMap<>(TAG_INDEXED);
    indexed.putAll(legacy);
    OldKeyspace old = new OldKeyspace(OLD);
    try (Cql cql = new Cql(cassandra.address())) {
      old.make(cql);
    }
    assertThat(inspected(OLD)).containsExactly(legacy);
    assertThatThrownBy(() -> open("wrong", dataset(OLD, Map.of(), Access.READ_ONLY)).close())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("unit should be legacy");
    try (VarveServer server =
        VarveServer.start(directory.resolve("read-only"), dataset(OLD, legacy, Access.READ_ONLY))) {
      old.check(new KairosDbClient(server.address()));
    }
    // The rows are listed in tables that only KairosDB creates, from 1.2 on.
    assertThatThrownBy(() -> open("too-early", dataset(OLD, legacy, Access.CO_WRITE)).close())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("row_keys, row_key_time_index");
    try (KairosDb newer = kairos(OLD);
        VarveServer server =
            VarveServer.start(directory.resolve("old"), dataset(OLD, indexed, Access.CO_WRITE));
        TagIndexRows tagIndex = new TagIndexRows(cassandra.address(), OLD)) {
      KairosDbClient varve = new KairosDbClient(server.address());
      old.check(client(newer));
      new KairosDbStory(client(newer), varve, SEED).tell(POINTS);
      old.check(client(newer));
      old.check(varve);
      tagIndex.check();
    }
    checkInspected(OLD, "legacy");
  }

  private static List<Tags> series() {
    return List.of(
        Tags.of("host", "plain"),
        Tags.of("host", "a:b=c", "d:e=f", "g"),
        Tags.of("host", "with space", "ort", "Zürich \u2603 \ud83d\ude00"));
  }

  /** Returns borders of rows, the epoch and before it, and points in between. */
  private List<Long> times(int shift) {
    List<Long> times = new ArrayList<>();
    long row = NOW - NOW % ROW;
    for (long base : new long[] {0, ROW, row, -ROW}) {
      for (long offset : new long[] {0, 1, ROW - 1}) {
        times.add(base + offset + 2L * shift);
      }
    }
    times.add(-5L - 10L * shift);
    for (int i = 0; i < 100; i++) {
      times.add(row + 10 + 2L * random.nextInt(1_000_000) + shift);
    }
    return times;
  }

  private Value value(Tags tags) {
    return switch (series().indexOf(tags)) {
      case 0 -> new Value.Int64(random.nextLong());
      case 1 -> new Value.Real(random.nextInt(1_000_000) / 64.0 - 5000);
      default -> new Value.Text("text " + random.nextInt(1000) + " \u00e9");
    };
  }

  private void note(Tags tags, long time, Value value) {
    model.computeIfAbsent(tags, key -> new TreeMap<>()).put(time, value);
  }

  private void writeByKairosDb() {
    for (Tags tags : series()) {
      Map<Long, Value> points = new TreeMap<>();
      times(0).forEach(time -> points.put(time, value(tags)));
      post(tags, points);
    }
  }

  private void post(Tags tags, Map<Long, Value> points) {
    client().put(METRIC, tags, points);
    points.forEach((time, value) -> note(tags, time, value));
  }

  private void writeByVarve(Dataset varve) {
    for (Tags tags : series()) {
      write(varve, tags, times(1));
    }
    // Only Varve has indexed this row.
    write(varve, Tags.of("host", "only in varve"), List.of(NOW, NOW + 1));
  }

  private void write(Dataset varve, Tags tags, List<Long> times) {
    BatchBuilder batch = new BatchBuilder();
    for (long time : times) {
      Value value = value(tags);
      batch.add(GroupKey.of(METRIC, tags), time, value);
      note(tags, time, value);
    }
    assertThat(varve.write(batch.build()).rejections()).isEmpty();
  }

  private void overwriteByVarve(Dataset varve) {
    for (Tags tags : series()) {
      write(varve, tags, some(tags));
    }
  }

  private void overwriteByKairosDb() {
    for (Tags tags : series()) {
      Map<Long, Value> points = new TreeMap<>();
      some(tags).forEach(time -> points.put(time, value(tags)));
      post(tags, points);
    }
  }

  private List<Long> some(Tags tags) {
    List<Long> times = new ArrayList<>(model.getOrDefault(tags, new TreeMap<>()).keySet());
    return times.stream().filter(time -> random.nextInt(4) == 0).toList();
  }

  /** Deletes a range of points of both servers. */
  private void deleteByKairosDb() {
    long from = NOW - NOW % ROW;
    long to = from + 600_000;
    client().delete(METRIC, Tags.EMPTY, TimeRange.closed(from, to));
    model.values().forEach(points -> points.subMap(from, true, to, true).clear());
    model.values().removeIf(Map::isEmpty);
  }

  private void awaitVarve(Dataset varve) {
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(200))
        .untilAsserted(() -> assertThat(readByVarve(varve)).isEqualTo(model));
  }

  private static Map<Tags, Map<Long, Value>> readByVarve(Dataset varve) {
    Map<Tags, Map<Long, Value>> found = new HashMap<>();
    try (RunCursor cursor = varve.read(ReadRequest.of(Selector.metric(METRIC), TimeRange.ALL))) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        Map<Long, Value> samples =
            found.computeIfAbsent(run.series().key().tags(), tags -> new TreeMap<>());
        for (int i = 0; i < run.samples().size(); i++) {
          samples.put(run.samples().time(i), run.samples().value(i));
        }
      }
    }
    return found;
  }

  private void awaitKairosDb() {
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(200))
        .untilAsserted(() ->
            model.forEach((tags, points) ->
                assertThat(
                        client()
                            .points(
                                METRIC,
                                "host",
                                String.valueOf(tags.get("host")),
                                KairosDbStory.TIMES))
                    .as("%s", tags)
                    .isEqualTo(KairosDbClient.shown(points))));
  }
}
