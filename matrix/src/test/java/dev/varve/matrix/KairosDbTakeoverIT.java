package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.devstores.CassandraNode;
import dev.varve.devstores.KairosDb;
import dev.varve.engine.Dataset;
import dev.varve.engine.DatasetConfig;
import dev.varve.engine.DatasetConfig.Access;
import dev.varve.engine.DatasetConfig.Attached;
import dev.varve.engine.Engine;
import dev.varve.engine.EngineConfig;
import dev.varve.engine.ReadRequest;
import dev.varve.engine.RunCursor;
import dev.varve.layout.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The original KairosDB and Varve at the same tables: what one writes, overwrites or deletes, the
 * other reads.
 */
class KairosDbTakeoverIT {
  private static final long ROW = 1_814_400_000L;
  private static final long NOW = 1_700_000_000_000L;
  private static final String METRIC = "taken over";
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private static Path directory;
  private static CassandraNode cassandra;
  private static KairosDb kairos;

  private final Map<Tags, TreeMap<Long, Value>> model = new HashMap<>();
  private final Random random = new Random(7);

  @BeforeAll
  static void start() {
    cassandra = CassandraNode.alone(directory.resolve("cassandra"));
    kairos = KairosDb.start(directory.resolve("kairosdb"), cassandra.address(), "kairosdb");
  }

  @AfterAll
  static void stop() {
    kairos.close();
    cassandra.close();
  }

  private static Engine open() {
    Map<String, String> options = new HashMap<>(cassandra.options());
    options.put("keyspace", "kairosdb");
    DatasetConfig dataset =
        new DatasetConfig(
                "taken",
                new DatasetConfig.StoreConfig("cassandra", options),
                List.of(
                    new DatasetConfig.PeriodConfig(
                        Instant.MIN, List.of(Layouts.of("kairosdb", Map.of())))),
                null,
                DatasetConfig.Duplicates.LAST,
                Set.of(),
                false)
            .with(new DatasetConfig.Refresh(Duration.ofMillis(200), Duration.ofSeconds(1)))
            .with(
                new Attached(
                    Access.CO_WRITE, Map.of(), new DatasetConfig.StoreConfig("rocksdb", Map.of())));
    return Engine.open(
        new EngineConfig(
            directory.resolve("varve"), RunningStore.MEMORY, List.of(dataset), "taken"));
  }

  @Test
  void eachReadsWhatTheOtherWrites() throws Exception {
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

  private static List<Tags> series() {
    return List.of(
        Tags.of("host", "plain"),
        Tags.of("host", "a:b=c", "d:e=f", "g"),
        Tags.of("host", "with space", "ort", "Zürich \u2603 \ud83d\ude00"));
  }

  /** Borders of rows, the epoch and before it, and points in between. */
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

  private void writeByKairosDb() throws Exception {
    for (Tags tags : series()) {
      Map<Long, Value> points = new TreeMap<>();
      times(0).forEach(time -> points.put(time, value(tags)));
      post(tags, points);
    }
  }

  private void post(Tags tags, Map<Long, Value> points) throws Exception {
    List<String> pairs = new ArrayList<>();
    points.forEach((time, value) -> {
      pairs.add("[" + time + "," + json(value) + "]");
      note(tags, time, value);
    });
    String body =
        """
        [{"name":%s,"tags":%s,"datapoints":[%s]}]\
        """
            .formatted(text(METRIC), json(tags), String.join(",", pairs));
    assertThat(http("POST", "/api/v1/datapoints", body).statusCode()).isEqualTo(204);
  }

  private void writeByVarve(Dataset varve) {
    for (Tags tags : series()) {
      write(varve, tags, times(1));
    }
    // A row that KairosDB has no index of, but the one that Varve writes.
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

  private void overwriteByKairosDb() throws Exception {
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

  /** Deletes a stretch, of what both have written. */
  private void deleteByKairosDb() throws Exception {
    long from = NOW - NOW % ROW;
    long to = from + 600_000;
    String body =
        """
        {"start_absolute":%d,"end_absolute":%d,"metrics":[{"name":%s}]}\
        """
            .formatted(from, to, text(METRIC));
    assertThat(http("POST", "/api/v1/datapoints/delete", body).statusCode()).isEqualTo(204);
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
        .untilAsserted(() -> {
          for (Map.Entry<Tags, TreeMap<Long, Value>> one : model.entrySet()) {
            assertThat(readByKairosDb(one.getKey()))
                .as("%s", one.getKey())
                .isEqualTo(printed(one.getValue()));
          }
        });
  }

  private static String printed(Map<Long, Value> points) {
    List<String> pairs = new ArrayList<>();
    points.forEach((time, value) -> {
      // KairosDB prints no zeros behind the point.
      String printed = json(value).replaceFirst("\\.0$", "");
      pairs.add("[" + time + "," + printed + "]");
    });
    return "[" + String.join(",", pairs) + "]";
  }

  /** The points of one series as KairosDB prints them. */
  private static String readByKairosDb(Tags tags) throws Exception {
    String body =
        """
        {"start_absolute":%d,"end_absolute":%d,"metrics":[{"name":%s,"tags":%s}]}\
        """
            .formatted(-3 * ROW, NOW + 3 * ROW, text(METRIC), json(tags));
    HttpResponse<String> answer = http("POST", "/api/v1/datapoints/query", body);
    assertThat(answer.statusCode()).isEqualTo(200);
    String values = answer.body();
    int from = values.indexOf("\"values\":") + "\"values\":".length();
    return values.substring(from, values.indexOf("}]", from));
  }

  private static HttpResponse<String> http(String method, String path, String body)
      throws IOException, InterruptedException {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + kairos.port() + path))
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static String json(Value value) {
    return switch (value) {
      case Value.Int64 number -> Long.toString(number.value());
      case Value.Real number -> Double.toString(number.value());
      case Value.Text words -> text(words.value());
      case Value.Raw raw -> throw new IllegalArgumentException("no sample: " + raw);
    };
  }

  private static String json(Tags tags) {
    List<String> members = new ArrayList<>();
    tags.forEach((name, value) -> members.add(text(name) + ":" + text(value)));
    return "{" + String.join(",", members) + "}";
  }

  private static String text(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
