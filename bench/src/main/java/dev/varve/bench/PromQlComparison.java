package dev.varve.bench;

import dev.varve.devstores.ChildProcess;
import dev.varve.devstores.Ports;
import dev.varve.devstores.Prometheus;
import dev.varve.formats.protobuf.WireWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.xerial.snappy.Snappy;

/**
 * Compares PromQL of Varve, in memory and on RocksDB, with Debian's Prometheus and VictoriaMetrics
 * over the same samples, each in its own process: latency, processor time and peak memory of each
 * query, with ratios to Prometheus.
 *
 * <p>Arguments: the launcher, then optionally {@code series=N}, {@code runs=N}, {@code
 * servers=a,b}. Prints tables in Markdown; a query that takes less than a second in all its runs is
 * run more often. {@code parts/debian/fetch prometheus victoria-metrics} fetches the programs. To
 * compare two builds of Varve in one run, {@code before=LAUNCHER} names the other one, which {@code
 * servers=varve-rocksdb,before-rocksdb} then compares. A layout may follow the store, as in {@code
 * varve-rocksdb-blocks}. {@code to=NAME} names the server of the ratios, by default Prometheus.
 * {@code queries=TEXT} runs only the queries whose names contain the text; {@code queries=none}
 * measures only writing.
 */
public final class PromQlComparison {
  private static final int WARM_UP = 3;

  /** Fast queries are repeated for this time, up to a maximum number of runs. */
  private static final long ENOUGH_NANOS = 1_000_000_000L;

  private static final int RUNS_FACTOR = 50;

  /** Samples per series in one write. */
  private static final int SAMPLES_A_WRITE = 5;

  /** Queries by their name in the table. Each covers six hours at steps of one minute. */
  private static final Map<String, String> QUERIES = queries();

  private final Path launcher;
  private final Path before;
  private final String comparedWith;
  private final Path folder;
  private final int series;
  private final int runs;
  private final String asked;
  private final List<String> names;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private PromQlComparison(Path launcher, Path folder, Arguments arguments) {
    this.launcher = launcher;
    this.folder = folder;
    this.before = Path.of(arguments.text("before", launcher.toString())).toAbsolutePath();
    this.comparedWith = arguments.text("to", "prometheus");
    this.series = arguments.number("series", 4_000);
    this.runs = arguments.number("runs", 5);
    this.asked = arguments.text("queries", "");
    this.names =
        arguments.list("servers", "varve-memory,varve-rocksdb,prometheus,victoria-metrics");
  }

  /** Runs the comparison. */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 0) {
      System.err.println(
          "usage: PromQlComparison LAUNCHER [series=N] [runs=N] [servers=a,b] [before=LAUNCHER] [to=NAME]");
      System.exit(2);
    }
    try (ScratchFolder folder = ScratchFolder.make()) {
      new PromQlComparison(
              Path.of(arguments[0]).toAbsolutePath(),
              folder.path(),
              Arguments.afterFirst(arguments))
          .run();
    }
  }

  private static Map<String, String> queries() {
    Map<String, String> queries = new LinkedHashMap<>();
    String cpu = "cpu_seconds_total";
    queries.put("one series", cpu + "{instance=\"web-7\",cpu=\"3\",mode=\"user\"}");
    queries.put("one rate", "rate(" + cpu + "{instance=\"web-7\",cpu=\"3\",mode=\"user\"}[5m])");
    queries.put("20 series by a pattern", "sum(rate(" + cpu + "{instance=~\"web-7\"}[5m]))");
    queries.put("all series", cpu);
    queries.put("rate", "rate(" + cpu + "[5m])");
    queries.put("rate of an hour", "rate(" + cpu + "[1h])");
    queries.put("sum", "sum(" + cpu + ")");
    queries.put("sum of rates by instance", "sum by (instance) (rate(" + cpu + "[5m]))");
    queries.put("greatest of an hour", "max(max_over_time(" + cpu + "[1h]))");
    queries.put("quantile of an hour", "max(quantile_over_time(0.9, " + cpu + "[1h]))");
    queries.put("topk", "topk(5, rate(" + cpu + "[5m]))");
    queries.put("quantile", "quantile(0.9, rate(" + cpu + "[5m]))");
    queries.put("comparison", "count(rate(" + cpu + "[5m]) > 3)");
    queries.put(
        "division, one to one",
        "sum(rate("
            + cpu
            + "{mode=\"user\"}[5m]) / on (instance, cpu) rate("
            + cpu
            + "{mode=\"system\"}[5m]))");
    queries.put(
        "division, many to one",
        "sum(rate("
            + cpu
            + "[5m]) / on (instance) group_left sum by (instance) (rate("
            + cpu
            + "[5m])))");
    queries.put(
        "histogram quantile",
        "histogram_quantile(0.99, sum by (le) (rate(latency_seconds_bucket[5m])))");
    queries.put("subquery", "max_over_time(sum(rate(" + cpu + "[5m]))[1h:1m])");
    queries.put(
        "label_replace",
        "count(label_replace(" + cpu + ", \"x\", \"$1\", \"instance\", \"web-(.*)\"))");
    return queries;
  }

  /** A process that serves Prometheus' API. */
  private record Server(String name, int port, ProcessHandle process, AutoCloseable end) {}

  /**
   * The cost of a query.
   *
   * @param millis median latency
   * @param cpuMillis mean processor time
   * @param megabytes peak resident memory of the process during the runs
   */
  private record Figures(double millis, double cpuMillis, double megabytes) {}

  private void run() throws Exception {
    List<Server> servers = new ArrayList<>();
    try {
      for (String name : names) {
        servers.add(start(name));
      }
      System.out.printf(
          "%d processors, Java %s, %,d series, %,d samples%n%n",
          Runtime.getRuntime().availableProcessors(),
          System.getProperty("java.version"),
          series,
          (long) series * MonitoringSeries.SAMPLES);
      write(servers);
      if (asked.equals("none")) {
        return;
      }
      compareAnswers(servers);
      Map<String, List<Figures>> figures = new LinkedHashMap<>();
      for (Map.Entry<String, String> query : QUERIES.entrySet()) {
        if (!query.getKey().contains(asked)) {
          continue;
        }
        List<Figures> row = new ArrayList<>();
        for (Server server : servers) {
          row.add(measure(server, query.getValue()));
        }
        figures.put(query.getKey(), row);
        System.err.println(query.getKey() + " " + row);
      }
      print(servers, figures);
    } finally {
      for (Server server : servers) {
        server.end().close();
      }
    }
  }

  private Server start(String name) throws IOException {
    Path own = Files.createDirectories(folder.resolve(name));
    if (name.equals("prometheus")) {
      Prometheus prometheus =
          Prometheus.start(
              own,
              "global: {scrape_interval: 10s}\n",
              List.of("--web.enable-remote-write-receiver", "--storage.tsdb.retention.time=100y"));
      ProcessHandle handle = ProcessHandle.of(prometheus.pid()).orElseThrow();
      return new Server(name, prometheus.port(), handle, prometheus);
    }
    int port = Ports.free();
    ChildProcess child =
        name.equals("victoria-metrics") ? victoriaMetrics(own, port) : varve(name, own, port);
    ProcessHandle handle = ProcessHandle.of(child.pid()).orElseThrow();
    child.await("an answer", () -> answers(port), Duration.ofMinutes(1));
    return new Server(name, port, handle, child);
  }

  private ChildProcess victoriaMetrics(Path own, int port) {
    Path program =
        launcher.resolveSibling("parts/debian/target/victoria-metrics/usr/bin/victoria-metrics");
    return ChildProcess.start(
        "VictoriaMetrics",
        List.of(
            program.toString(),
            "-storageDataPath=" + own.resolve("data"),
            "-httpListenAddr=127.0.0.1:" + port,
            "-retentionPeriod=100y",
            "-search.disableCache"),
        own,
        Map.of(),
        own.resolve("log"));
  }

  private ChildProcess varve(String name, Path own, int port) throws IOException {
    Path program = name.startsWith("before-") ? before : launcher;
    String[] parts = name.split("-", -1);
    String layout = parts.length > 2 ? parts[2] : "buckets";
    Path config =
        Files.writeString(
            own.resolve("varve.yaml"),
            "data: %s%nlisten: [{port: %d}]%ndatasets: {bench: {layout: %s, store: {kind: %s}}}%n"
                .formatted(own.resolve("data"), port, layout, parts[1]));
    return ChildProcess.start(
        name,
        List.of(program.toString(), "serve", "--config", config.toString()),
        own,
        Map.of("VARVE_BUILD", "off", "VARVE_AOT", "off", "VARVE_HEAP", "2g"),
        own.resolve("log"));
  }

  private boolean answers(int port) {
    try {
      return client
              .send(
                  HttpRequest.newBuilder(uri(port, "/api/v1/query?query=1")).build(),
                  HttpResponse.BodyHandlers.discarding())
              .statusCode()
          == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static URI uri(int port, String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  private void write(List<Server> servers) throws IOException, InterruptedException {
    MonitoringSeries made = new MonitoringSeries(series);
    long[] nanos = new long[servers.size()];
    Duration[] before = servers.stream().map(PromQlComparison::cpu).toArray(Duration[]::new);
    for (int from = 0; from < MonitoringSeries.SAMPLES; from += SAMPLES_A_WRITE) {
      byte[] body = body(made, from, Math.min(MonitoringSeries.SAMPLES, from + SAMPLES_A_WRITE));
      for (int i = 0; i < servers.size(); i++) {
        long start = System.nanoTime();
        send(servers.get(i), body);
        nanos[i] += System.nanoTime() - start;
      }
    }
    System.out.println(
        "| server | written, samples/s | processor time of writing, s | MB resident |");
    System.out.println("| --- | ---: | ---: | ---: |");
    for (int i = 0; i < servers.size(); i++) {
      System.out.printf(
          Locale.ROOT,
          "| %s | %,.0f | %.1f | %d |%n",
          servers.get(i).name(),
          (double) series * MonitoringSeries.SAMPLES * 1e9 / nanos[i],
          cpu(servers.get(i)).minus(before[i]).toMillis() / 1e3,
          resident(servers.get(i), "VmRSS:"));
    }
    System.out.println();
  }

  /** Returns a remote write 1.0 message with some samples of every series. */
  private static byte[] body(MonitoringSeries made, int from, int to) throws IOException {
    WireWriter request = new WireWriter();
    for (int i = 0; i < made.count(); i++) {
      WireWriter one = new WireWriter();
      new TreeMap<>(made.labels(i))
          .forEach((name, value) -> one.message(1, new WireWriter().text(1, name).text(2, value)));
      for (int sample = from; sample < to; sample++) {
        long time = MonitoringSeries.START + sample * MonitoringSeries.STEP;
        one.message(2, new WireWriter().real(1, made.next(i)).varint(2, time));
      }
      request.message(1, one);
    }
    return Snappy.compress(request.toBytes());
  }

  private void send(Server server, byte[] body) throws IOException, InterruptedException {
    HttpResponse<String> response =
        client.send(
            HttpRequest.newBuilder(uri(server.port(), "/api/v1/write"))
                .header("Content-Encoding", "snappy")
                .header("Content-Type", "application/x-protobuf")
                .header("X-Prometheus-Remote-Write-Version", "0.1.0")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 204) {
      throw new IllegalStateException(
          server.name() + ": " + response.statusCode() + " " + response.body());
    }
  }

  /**
   * Runs each query on each server. Fails if the series differ, and reports differing points, such
   * as those of VictoriaMetrics at the start of a rate.
   */
  private void compareAnswers(List<Server> servers) throws IOException, InterruptedException {
    System.out.println("Answers with other points than those of the first server:");
    System.out.println();
    for (Map.Entry<String, String> query : QUERIES.entrySet()) {
      List<AnswerSize> sizes = new ArrayList<>();
      for (Server server : servers) {
        AnswerSize size = new AnswerSize();
        ask(server, query.getValue(), size);
        sizes.add(size);
      }
      AnswerSize first = sizes.getFirst();
      if (first.points() == 0 || sizes.stream().anyMatch(size -> size.series() != first.series())) {
        throw new IllegalStateException(query.getKey() + " gives " + sizes);
      }
      if (sizes.stream().anyMatch(size -> size.points() != first.points())) {
        System.out.printf("* %s: %s%n", query.getKey(), sizes);
      }
    }
    System.out.println();
  }

  private static Duration cpu(Server server) {
    return server.process().info().totalCpuDuration().orElseThrow();
  }

  /** Returns resident memory of the process in MB, from the named line of its status. */
  private static long resident(Server server, String line) throws IOException {
    for (String status :
        Files.readAllLines(Path.of("/proc", Long.toString(server.process().pid()), "status"))) {
      if (status.startsWith(line)) {
        return Long.parseLong(status.replaceAll("\\D", "")) >> 10;
      }
    }
    throw new IllegalStateException("no " + line);
  }

  private Figures measure(Server server, String query) throws IOException, InterruptedException {
    repeat(server, query, WARM_UP);
    forgetPeak(server);
    Duration before = cpu(server);
    double[] millis = repeat(server, query, runs);
    double cpu = cpu(server).minus(before).toMillis() / (double) millis.length;
    Arrays.sort(millis);
    return new Figures(millis[millis.length / 2], cpu, resident(server, "VmHWM:"));
  }

  /** Runs a query at least a number of times and returns the milliseconds of each run. */
  private double[] repeat(Server server, String query, int atLeast)
      throws IOException, InterruptedException {
    List<Double> millis = new ArrayList<>();
    long begun = System.nanoTime();
    while (millis.size() < atLeast
        || (millis.size() < RUNS_FACTOR * atLeast && System.nanoTime() - begun < ENOUGH_NANOS)) {
      long start = System.nanoTime();
      ask(server, query, OutputStream.nullOutputStream());
      millis.add((System.nanoTime() - start) / 1e6);
    }
    return millis.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /** Resets the peak resident memory of the process (proc(5), clear_refs). */
  private static void forgetPeak(Server server) throws IOException {
    Files.writeString(Path.of("/proc", Long.toString(server.process().pid()), "clear_refs"), "5");
  }

  private void ask(Server server, String query, OutputStream answer)
      throws IOException, InterruptedException {
    String form =
        "query=%s&start=%d&end=%d&step=60&nocache=1"
            .formatted(
                URLEncoder.encode(query, StandardCharsets.UTF_8),
                MonitoringSeries.START / 1000,
                MonitoringSeries.END / 1000 - 10);
    HttpResponse<InputStream> response =
        client.send(
            HttpRequest.newBuilder(uri(server.port(), "/api/v1/query_range"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form))
                .build(),
            HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream body = response.body()) {
      if (response.statusCode() != 200) {
        throw new IllegalStateException(
            server.name()
                + ": "
                + new String(body.readAllBytes(), StandardCharsets.UTF_8)
                + " of "
                + query);
      }
      body.transferTo(answer);
    }
  }

  /** Prints one figure of all queries and servers, each with its ratio to {@link #comparedWith}. */
  private void table(
      String what,
      List<Server> servers,
      Map<String, List<Figures>> figures,
      ToDoubleFunction<Figures> figure) {
    List<String> names = servers.stream().map(Server::name).toList();
    int compared = names.indexOf(comparedWith);
    System.out.printf("| %s | %s |%n", what, String.join(" | ", names));
    System.out.println("| --- |" + " ---: |".repeat(names.size()));
    double[] logarithms = new double[names.size()];
    int[] counted = new int[names.size()];
    figures.forEach((query, row) -> {
      System.out.printf("| %s |", query);
      double other = compared < 0 ? 0 : figure.applyAsDouble(row.get(compared));
      for (int i = 0; i < names.size(); i++) {
        double one = figure.applyAsDouble(row.get(i));
        System.out.printf(Locale.ROOT, one < 10 ? " %.1f" : " %,.0f", one);
        if (i != compared && other > 0 && one > 0) {
          System.out.printf(Locale.ROOT, " (%.2f)", one / other);
          logarithms[i] += Math.log(one / other);
          counted[i]++;
        }
        System.out.print(" |");
      }
      System.out.println();
    });
    if (compared >= 0) {
      System.out.print("| geometric mean of the ratios |");
      for (int i = 0; i < names.size(); i++) {
        String mean =
            counted[i] == 0
                ? " |"
                : String.format(Locale.ROOT, " (%.2f) |", Math.exp(logarithms[i] / counted[i]));
        System.out.print(mean);
      }
      System.out.println();
    }
    System.out.println();
  }

  private void print(List<Server> servers, Map<String, List<Figures>> figures) throws IOException {
    table("latency, ms", servers, figures, Figures::millis);
    table("processor time, ms", servers, figures, Figures::cpuMillis);
    table("resident at most, MB", servers, figures, Figures::megabytes);
    System.out.println("| server | MB resident after the queries |");
    System.out.println("| --- | ---: |");
    for (Server server : servers) {
      System.out.printf("| %s | %d |%n", server.name(), resident(server, "VmRSS:"));
    }
    System.out.println();
    QUERIES.forEach((name, query) -> System.out.printf("| %s | `%s` |%n", name, query));
  }
}
