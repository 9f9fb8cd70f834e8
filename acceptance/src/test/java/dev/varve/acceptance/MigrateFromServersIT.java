package dev.varve.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.devstores.InfluxDb;
import dev.varve.devstores.Prometheus;
import dev.varve.devstores.VictoriaMetrics;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import dev.varve.server.prometheus.RemoteWriteClient;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Migrations from the real VictoriaMetrics, Prometheus and InfluxDB, of names and values that are
 * hard to carry. Each is killed once, at a random moment, and goes on. Then the dataset has every
 * sample, none changed and none invented.
 */
class MigrateFromServersIT {
  private static final long START = 1_700_000_000_123L;

  /** Seven minutes and a bit, so that samples lie on several days. */
  private static final long STEP = 420_011;

  private static final int STEPS = 600;

  /** Steps at which no series has a sample. */
  private static final int GAP_FROM = 200;

  private static final int GAP_TO = 290;

  /** Samples that do not arrive in the order of time. */
  private static final int LATE = 400;

  private static final int SHOWN = 10;

  private static final List<Double> EXTREMES =
      List.of(
          Double.MIN_VALUE,
          -Double.MAX_VALUE,
          -0.0,
          Double.NaN,
          StaleMarker.VALUE,
          Double.POSITIVE_INFINITY,
          Double.NEGATIVE_INFINITY,
          0.1 + 0.2,
          (double) Long.MIN_VALUE);

  private static final String[] EXPORT = {
    "export", "--config", "varve.yaml", "--select", "{__name__=~\".+\"}", "--format", "csv"
  };

  private static final String TWO_DATASETS =
      """
      data: data
      listen: [{port: PORT}]
      default: main
      datasets:
        main: {layout: blocks}
        again: {layout: blocks}
      """;

  private final HttpClient client = HttpClient.newHttpClient();
  private final HostileSamples expected = new HostileSamples();

  @Test
  void fromVictoriaMetrics() throws Exception {
    Path folder = Checkout.fresh("migrate-victoriametrics");
    try (VictoriaMetrics source = VictoriaMetrics.start(folder.resolve("source"))) {
      System.out.println("MigrateFromServersIT: victoria-metrics " + source.debianVersion());
      String url = "http://127.0.0.1:" + source.port();
      writeSeries(url);
      // It counts in decimal fractions, which these are.
      for (int i = 0; i < 9; i++) {
        double tiny = Double.parseDouble((i - 4) + "e-18");
        write(url, series("tiny"), START + i, tiny);
        expected.add(series("tiny"), START + i, tiny);
      }
      // It keeps both of two samples at one instant, of which its queries see one.
      write(url, series("twice"), START, 1.0);
      write(url, series("twice"), START, 1.0);
      expected.add(series("twice"), START, 1.0);
      write(url, series("infinite"), START, Double.NEGATIVE_INFINITY);
      write(url, series("infinite"), START + 1, StaleMarker.VALUE);
      expected.add(series("infinite"), START, Double.NEGATIVE_INFINITY);
      expected.add(series("infinite"), START + 1, StaleMarker.VALUE);
      send("GET", url + "/internal/force_flush", new byte[0]);
      migrate(folder, 0, "--source-victoriametrics", url);
      exchange(folder, url);
    }
  }

  /**
   * Lets VictoriaMetrics import what a server exports, and the server import what VictoriaMetrics
   * exports. A {@code null}, which is a NaN of either kind, means no sample to VictoriaMetrics.
   */
  private void exchange(Path folder, String url) throws Exception {
    String theirs = send("GET", url + "/api/v1/export?" + match("{__name__!=\"\"}"), new byte[0]);
    try (VarveProcess server = VarveProcess.in(folder, TWO_DATASETS).start()) {
      String own = "http://127.0.0.1:" + server.port();
      String special =
          "{\"metric\":{\"__name__\":\"special\"},\"values\":[\"NaN\",\"Infinity\",\"-Infinity\",null,0.1],\"timestamps\":[%d,%d,%d,%d,%d]}"
              .formatted(START, START + 1, START + 2, START + 3, START + 4);
      send("POST", own + "/api/v1/import", special.getBytes(UTF_8));
      // The server's own metrics come later.
      String all = match("{__name__!=\"\"}") + "&end=" + (START / 1000 + 10 * 86_400);
      String ours = send("GET", own + "/api/v1/export?" + all, new byte[0]);
      assertThat(ours)
          .contains("\"special\"},\"values\":[null,\"Infinity\",\"-Infinity\",null,0.1]");
      send("POST", url + "/api/v1/import?extra_label=from=varve", ours.getBytes(UTF_8));
      send("GET", url + "/internal/force_flush", new byte[0]);
      String back = send("GET", url + "/api/v1/export?" + match("{from=\"varve\"}"), new byte[0]);
      assertThat(samples(back.replace(",\"from\":\"varve\"", ""))).isEqualTo(samples(ours));
      send("POST", own + "/datasets/again/prometheus/api/v1/import", theirs.getBytes(UTF_8));
    }
    List<String> again = new ArrayList<>(List.of(EXPORT));
    again.addAll(List.of("--dataset", "again"));
    String imported = Checkout.run(folder, again.toArray(String[]::new)).success();
    compare(expected.csv(), imported.lines().toList());
  }

  private static String match(String selector) {
    return "match[]=" + URLEncoder.encode(selector, UTF_8);
  }

  /** Returns the values of JSON lines by labels and time, without those that are null. */
  private static Map<Map<String, Object>, SortedMap<BigDecimal, Double>> samples(String lines) {
    Map<Map<String, Object>, SortedMap<BigDecimal, Double>> all = new HashMap<>();
    for (String line : lines.lines().toList()) {
      Map<String, Object> members = Json.object(line);
      SortedMap<BigDecimal, Double> samples =
          all.computeIfAbsent(Json.members(members.get("metric")), _ -> new TreeMap<>());
      List<Object> values = Json.elements(members.get("values"));
      List<Object> times = Json.elements(members.get("timestamps"));
      assertThat(values).hasSameSizeAs(times);
      for (int i = 0; i < times.size(); i++) {
        if (values.get(i) != null) {
          double value = Double.parseDouble(values.get(i).toString());
          assertThat(samples.put((BigDecimal) times.get(i), value)).as(line).isNull();
        }
      }
    }
    assertThat(all).isNotEmpty();
    return all;
  }

  @Test
  void fromPrometheus() throws Exception {
    Path folder = Checkout.fresh("migrate-prometheus");
    try (Prometheus source =
        Prometheus.start(
            folder.resolve("source"),
            "storage: {tsdb: {out_of_order_time_window: 10d}}\n",
            List.of(
                "--web.enable-remote-write-receiver",
                "--storage.tsdb.retention.time=20y",
                // Prometheus 3.5.3 can panic where a late sample arrives while it compacts.
                "--storage.tsdb.min-block-duration=60d",
                "--storage.tsdb.max-block-duration=60d"))) {
      System.out.println("MigrateFromServersIT: prometheus " + source.debianVersion());
      String url = "http://127.0.0.1:" + source.port();
      writeSeries(url);
      for (int i = 0; i < EXTREMES.size(); i++) {
        write(url, series("extreme"), START + i, EXTREMES.get(i));
        expected.add(series("extreme"), START + i, EXTREMES.get(i));
      }
      // The later half comes first, and then what was between its samples.
      for (int i = 0; i < LATE; i++) {
        expected.add(series("late"), START + i, i + 0.5);
      }
      for (int i = LATE / 2; i < LATE; i += 2) {
        write(url, series("late"), START + i, i + 0.5);
      }
      for (int i = 0; i < LATE; i++) {
        if (i < LATE / 2 || i % 2 != LATE / 2 % 2) {
          write(url, series("late"), START + i, i + 0.5);
        }
      }
      migrate(folder, 0, "--source-prometheus", url);
    }
  }

  @Test
  void fromInfluxDb() throws Exception {
    Path folder = Checkout.fresh("migrate-influxdb");
    try (InfluxDb source = InfluxDb.start(folder.resolve("source"))) {
      System.out.println("MigrateFromServersIT: influxdb " + source.debianVersion());
      String url = "http://127.0.0.1:" + source.port();
      send("POST", url + "/query?q=CREATE+DATABASE+%22my+db%22", new byte[0]);
      for (byte[] lines : new InfluxLines(expected, START).requests()) {
        send("POST", url + "/write?db=my+db&precision=ns", lines);
      }
      migrate(folder, 1, "--source-influx", url, "--source-database", "my db");
    }
  }

  private static Series series(String metric, String... labels) {
    Map<String, String> tags = new TreeMap<>();
    for (int i = 0; i < labels.length; i += 2) {
      tags.put(labels[i], labels[i + 1]);
    }
    return GroupKey.of(metric, Tags.of(tags)).field(Series.DEFAULT_FIELD);
  }

  /** Writes series of several days, with gaps, to what has remote write. */
  private void writeSeries(String url) throws Exception {
    List<Series> all = new ArrayList<>();
    for (String metric : List.of("plain_total", "größe.total m", "say \"hi\" \\ {x}")) {
      HostileSamples.TEXTS.forEach(text -> all.add(series(metric, "host", text)));
      all.add(series(metric));
      all.add(series(metric, "host", "a", "dc", "b"));
      all.add(series(metric, "l.a b \"é\"", "line\nbreak"));
    }
    for (int i = 0; i < STEPS; i++) {
      if (i >= GAP_FROM && i < GAP_TO) {
        continue;
      }
      Map<Series, Double> values = new LinkedHashMap<>();
      for (int k = 0; k < all.size(); k++) {
        if (i % 11 != k % 11) {
          values.put(all.get(k), (k + 1) * (i - STEPS / 2) * 0.25);
        }
      }
      write(url, values, START + STEP * i);
      for (Map.Entry<Series, Double> value : values.entrySet()) {
        expected.add(value.getKey(), START + STEP * i, value.getValue());
      }
    }
  }

  private void write(String url, Series series, long time, double value) throws Exception {
    write(url, Map.of(series, value), time);
  }

  private void write(String url, Map<Series, Double> values, long time) throws Exception {
    Map<SortedMap<String, String>, Double> sent = new LinkedHashMap<>();
    values.forEach((series, value) -> {
      SortedMap<String, String> labels = new TreeMap<>(series.labels());
      labels.put(Series.NAME_LABEL, series.metric());
      sent.put(labels, value);
    });
    send("POST", url + "/api/v1/write", RemoteWriteClient.request(sent, time));
  }

  private String send(String method, String url, byte[] body) throws Exception {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(URI.create(url))
                .method(method, HttpRequest.BodyPublishers.ofByteArray(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(url + ": " + answer.body()).isBetween(200, 204);
    return answer.body();
  }

  /** Migrates with a kill, and compares every sample and digest. */
  private void migrate(Path folder, int refused, String... source) throws Exception {
    Files.writeString(
        folder.resolve("varve.yaml"), "data: data\ndatasets:\n  main: {layout: blocks}\n");
    List<String> migrate = new ArrayList<>(List.of("migrate", "--config", "varve.yaml"));
    migrate.addAll(List.of("--state", "state", "--report", "report"));
    migrate.addAll(List.of("--output", "csv", "--no-progress"));
    migrate.addAll(List.of(source));
    killOnce(folder, migrate);
    boolean begun = Files.exists(folder.resolve("state"));

    Checkout.Outcome outcome = Checkout.run(folder, migrate.toArray(String[]::new));
    assertThat(outcome.exitCode()).as(outcome.toString()).isEqualTo(refused > 0 ? 1 : 0);
    assertThat(outcome.err().contains("going on from ")).as(outcome.err()).isEqualTo(begun);
    List<String> rows = outcome.out().lines().toList();
    assertThat(rows.getFirst()).isEqualTo("samples,written,days,equal,own,refused,dropped,lost");
    compare(expected.csv(), Checkout.run(folder, EXPORT).success().lines().toList());
    String[] counts = rows.getLast().split(",", -1);
    assertThat(counts[0]).as("samples").isEqualTo(Long.toString(expected.count() + refused));
    assertThat(counts[3]).as("equal").isEqualTo(counts[2]);
    assertThat(List.of(counts).subList(4, 8)).containsExactly("0", "" + refused, "0", "0");
    assertReport(folder.resolve("report"), refused);
  }

  /** The moments at which a migration is killed. */
  private enum Moment {
    /** Some time after its start, and at its first checkpoint at the latest. */
    ANY,
    /** As soon as its report has something, which the checkpoint follows. */
    REPORT,
    /** As soon as a new checkpoint is being written, or has been. */
    WRITE,
    /** Shortly after its first checkpoint. */
    CHECKPOINT
  }

  /** Starts the migration and kills it at a random moment. */
  private static void killOnce(Path folder, List<String> migrate) throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Moment moment = Moment.values()[random.nextInt(Moment.values().length)];
    int millis = random.nextInt(moment == Moment.ANY ? 5_000 : 10);
    System.out.printf("MigrateFromServersIT: seed %d, kills at %s, %d ms%n", seed, moment, millis);
    List<String> slowly = new ArrayList<>(migrate);
    slowly.addAll(List.of("--rate", "5000"));
    Path output = folder.resolve("killed.log");
    Process process =
        Checkout.varve(folder, slowly.toArray(String[]::new))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      await(folder, process, moment, millis);
      assertThat(process.isAlive()).as(Checkout.read(output)).isTrue();
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static void await(Path folder, Process process, Moment moment, int millis)
      throws Exception {
    Path state = folder.resolve("state");
    Path report = folder.resolve("report");
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (process.isAlive()
        && !Files.exists(state)
        && switch (moment) {
          case ANY -> System.nanoTime() - end < 0;
          case REPORT -> !Files.exists(report) || Files.size(report) == 0;
          case WRITE -> !Files.exists(folder.resolve("state.next"));
          case CHECKPOINT -> true;
        }) {
      LockSupport.parkNanos(100_000);
    }
    if (moment == Moment.CHECKPOINT) {
      Thread.sleep(millis);
    }
  }

  /** Compares lines in their order, and shows the first that differ. */
  private static void compare(List<String> wanted, List<String> found) {
    Set<String> missing = new LinkedHashSet<>(wanted);
    found.forEach(missing::remove);
    Set<String> invented = new LinkedHashSet<>(found);
    wanted.forEach(invented::remove);
    assertThat(missing.stream().limit(SHOWN)).as("missing of %d", missing.size()).isEmpty();
    assertThat(invented.stream().limit(SHOWN)).as("invented of %d", invented.size()).isEmpty();
    assertThat(found).isEqualTo(wanted);
  }

  private void assertReport(Path report, int refused) throws Exception {
    long samples = 0;
    int refusals = 0;
    for (String line : Files.readAllLines(report)) {
      Map<String, Object> members = Json.object(line);
      if (members.containsKey("refused")) {
        refusals++;
        continue;
      }
      assertThat(members)
          .containsEntry("missing", BigDecimal.ZERO)
          .containsEntry("other", BigDecimal.ZERO)
          .containsEntry("source", members.get("target"));
      samples += Json.number(members, "samples").longValueExact();
    }
    assertThat(samples).isEqualTo(expected.count());
    assertThat(refusals).isEqualTo(refused);
  }
}
