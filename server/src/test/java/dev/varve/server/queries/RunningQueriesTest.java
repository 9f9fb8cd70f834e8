package dev.varve.server.queries;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryCapacity;
import dev.varve.server.TestServer;
import dev.varve.server.http.ConnectionLimits;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Endless queries over real sockets: how they are listed and stopped. */
class RunningQueriesTest {
  private static final String STATUS = "/api/v1/status/queries";
  private static final long START = 1_700_000_000_000L;

  /** Sorts half a million values repeatedly; reads nothing. */
  private static final String COMPUTES =
      range("quantile_over_time(0.5, vector(1)[6d:1s])", START, 10_000);

  private static final String LONG_PATTERN = "{long=~\"(a?){400}b\"}";

  /** For operations that take no time themselves; allows for a busy machine. */
  private static final Duration SOON = Duration.ofSeconds(5);

  /** Maximum time from a kill or disconnection until all work has stopped. */
  private static final Duration STOPPED = Duration.ofMillis(100);

  /** Time after which a query that has not stopped counts as endless. */
  private static final Duration ENDLESS = Duration.ofSeconds(30);

  private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
  @TempDir private Path directory;
  private TestServer server;

  @BeforeEach
  void start() throws IOException {
    server = start("memory", QueryOptions.DEFAULTS);
  }

  private TestServer start(String store, QueryOptions options) throws IOException {
    if (server != null) {
      server.close();
    }
    server = TestServer.start(directory.resolve("data-" + System.nanoTime()), store, options);
    return server;
  }

  @AfterEach
  void stop() {
    server.close();
    clients.shutdownNow();
  }

  private static QueryOptions options(QueryLimits limits, QueryCapacity capacity) {
    return new QueryOptions(limits, capacity, Duration.ofMillis(1));
  }

  private static QueryLimits limits(
      long series, long samples, long memory, long points, Duration time) {
    return new QueryLimits(
        series, samples, memory, points, 5_000_000, time, Long.MAX_VALUE, Long.MAX_VALUE);
  }

  private static String range(String query, long startMillis, int steps) {
    return "/api/v1/query_range?start=%d&end=%d&step=1&query=%s"
        .formatted(startMillis / 1000, startMillis / 1000 + steps - 1, encoded(query));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  private CompletableFuture<HttpResponse<String>> ask(String path) {
    return CompletableFuture.supplyAsync(() -> server.get(path), clients);
  }

  /** Writes series with samples one second apart. */
  private void write(int series, int samples) {
    for (int i = 0; i < series; i++) {
      StringBuilder body = new StringBuilder("[{\"name\":\"m\",\"tags\":{\"host\":\"h");
      body.append(i).append("\"},\"datapoints\":[");
      for (int j = 0; j < samples; j++) {
        body.append(j == 0 ? "" : ",");
        body.append('[').append(START + 1000L * j).append(',').append(j).append(".5]");
      }
      assertThat(server.post("/api/v1/datapoints", body.append("]}]").toString()).statusCode())
          .isEqualTo(204);
    }
  }

  private String awaitState(String state) {
    Pattern pattern =
        Pattern.compile("\"id\":\"([0-9a-f]+-\\d+)\",\"state\":\"%s\"".formatted(state));
    return await()
        .pollInterval(Duration.ofMillis(10))
        .until(() -> pattern.matcher(server.get(STATUS).body()), Matcher::find)
        .group(1);
  }

  private void awaitIdle() {
    await()
        .atMost(SOON)
        .pollInterval(Duration.ofMillis(10))
        .until(() ->
            server.get(STATUS).body().contains("\"running\":0,\"waiting\":0,\"bytesHeld\":0,"));
    assertThat(server.get(STATUS).body()).contains("\"queries\":[]");
  }

  @Test
  void listsWhatRunsAndEndsItByItsId() throws Exception {
    CompletableFuture<HttpResponse<String>> answer = ask(COMPUTES);
    String id = awaitState("running");
    assertThat(server.get(STATUS).body())
        .contains("\"language\":\"promql\"", "\"text\":\"quantile_over_time(", "127.0.0.1:")
        .contains("\"agent\":\"Java-http-client", "\"subquerySteps\":");
    assertThat(server.post(STATUS + "/nothing-1/kill", "").statusCode()).isEqualTo(404);

    assertThat(server.post(STATUS + "/" + id + "/kill", "").body()).contains(id);
    HttpResponse<String> killed = answer.get(SOON.toMillis(), TimeUnit.MILLISECONDS);
    assertThat(killed.statusCode()).isEqualTo(499);
    assertThat(killed.body()).contains("\"errorType\":\"canceled\"", "killed, as " + id);
    awaitIdle();
    assertThat(server.get("/metrics").body())
        .contains("outcome=\"killed\"", "varve_query_seconds_count{language=\"promql\"");
  }

  /**
   * Returns the time from a stop until no store call is in progress and no query is listed. A busy
   * machine may delay threads, so the best of several rounds counts.
   */
  private Duration timeToStop(Callable<Runnable> begin) throws Exception {
    long best = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      Runnable stop = begin.call();
      await().pollInterval(Duration.ofMillis(10)).until(() -> EndlessReads.underWay() > 0);
      long start = System.nanoTime();
      stop.run();
      while (EndlessReads.underWay() > 0) {
        assertThat(System.nanoTime() - start).isLessThan(ENDLESS.toNanos());
        Thread.sleep(1);
      }
      awaitNoQuery(start);
      best = Math.min(best, System.nanoTime() - start);
    }
    return Duration.ofNanos(best);
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "rocksdb"})
  void stopsWithin100MillisInACallOfTheStore(String store) throws Exception {
    start("endless-" + store, QueryOptions.DEFAULTS);
    write(20, 100);
    String request = range("sum(m)", START, 100);

    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    Duration killed =
        timeToStop(() -> {
          answers.add(ask(request));
          String id = awaitState("running");
          return () -> server.post(STATUS + "/" + id + "/kill", "");
        });
    assertThat(killed).isLessThanOrEqualTo(STOPPED);
    for (CompletableFuture<HttpResponse<String>> answer : answers) {
      assertThat(answer.get(SOON.toMillis(), TimeUnit.MILLISECONDS).statusCode()).isEqualTo(499);
    }

    Duration gone =
        timeToStop(() -> {
          Socket client = server.connect();
          client
              .getOutputStream()
              .write(("GET " + request + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(UTF_8));
          awaitState("running");
          return () -> close(client);
        });
    assertThat(gone).isLessThanOrEqualTo(STOPPED);
    assertThat(server.get("/metrics").body())
        .containsPattern("varve_queries_total\\{.*outcome=\"killed\"} 5.0")
        .containsPattern("varve_queries_total\\{.*outcome=\"gone\"} 5.0");
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "rocksdb"})
  void endsWhatReadsWhenItsClientGoesAway(String store) throws Exception {
    start(store, QueryOptions.DEFAULTS);
    write(20, 5000);
    // Varies the matchers so that no read is shared.
    StringBuilder sum = new StringBuilder("sum(m)");
    for (int i = 1; i < 350; i++) {
      sum.append("+sum(m{host!=\"x").append(i).append("\"})");
    }
    List<String> requests = new ArrayList<>();
    requests.add("GET " + range(sum.toString(), START, 5000));
    requests.add("GET " + COMPUTES);
    for (String request : requests) {
      try (Socket socket = server.connect()) {
        socket
            .getOutputStream()
            .write((request + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(UTF_8));
        awaitState("running");
      }
      awaitIdle();
    }
    assertThat(server.get("/metrics").body())
        .containsPattern("varve_queries_total\\{.*outcome=\"gone\"} 2.0");
  }

  /** Each read of the first query is within the limit of the query, but their total is not. */
  @ParameterizedTest
  @ValueSource(strings = {"memory", "rocksdb"})
  void refusesWhatLooksAtTooManyCells(String store) throws Exception {
    QueryLimits usual = QueryLimits.DEFAULTS;
    QueryLimits limits =
        new QueryLimits(
            usual.series(),
            usual.samples(),
            usual.memory(),
            usual.points(),
            usual.steps(),
            usual.time(),
            25_000,
            1 << 30);
    start(store, options(limits, QueryCapacity.DEFAULTS));
    write(20, 1000);
    String said = "reads more than the limit of 25,000 cells or 1,073,741,824 bytes from the store";
    HttpResponse<String> twice =
        server.get(range("sum(m)+sum(m{host!=\"h1\"} offset 1s)", START, 1000));
    assertThat(twice.statusCode()).isEqualTo(422);
    assertThat(twice.body()).contains("\"errorType\":\"execution\"", said);
    assertThat(server.get(range("sum(m)", START, 1000)).statusCode()).isEqualTo(200);

    write(40, 1000);
    HttpResponse<String> kairos =
        server.post(
            "/api/v1/datapoints/query",
            "{\"start_absolute\":%d,\"metrics\":[{\"name\":\"m\"}]}".formatted(START));
    assertThat(kairos.body()).contains(said);
    assertThat(kairos.statusCode()).isEqualTo(400);
    awaitIdle();
    assertThat(server.get("/metrics").body())
        .containsPattern("varve_queries_total\\{.*language=\"promql\",outcome=\"limit\"} 1.0")
        .containsPattern("varve_queries_total\\{.*language=\"kairosdb\",outcome=\"limit\"} 1.0");
  }

  /** Answers about series count memory as answers with samples do. */
  @Test
  void refusesListsThatNeedTooMuchMemory() throws Exception {
    QueryLimits limits = limits(100_000, 1_000_000, 300_000, 1_000_000, Duration.ofMinutes(2));
    start("memory", options(limits, QueryCapacity.DEFAULTS));
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 200; i++) {
      String longText = i + "x".repeat(1_500);
      text.append("# HELP m%d %s\n# TYPE m%d gauge\n".formatted(i, longText, i));
      text.append("m%d{long=\"%s\"} 1\n".formatted(i, longText));
    }
    assertThat(server.post("/api/v1/import/prometheus", text.toString()).statusCode())
        .isLessThan(300);
    for (String path : List.of("/api/v1/label/long/values", "/api/v1/metadata")) {
      HttpResponse<String> answer = server.get(path);
      assertThat(answer.statusCode()).as("%s: %.200s", path, answer.body()).isEqualTo(422);
    }
    assertThat(server.get("/api/v1/metadata?limit=10").statusCode()).isEqualTo(200);
    assertThat(server.get("/api/v1/label/long/values?limit=10").statusCode()).isEqualTo(200);
    awaitIdle();
  }

  /** Long computations, each in a different loop. */
  private static Map<String, String> computing() {
    String joined = "last_over_time(m[1h])";
    String joins = joined + (" atan2 on (host) " + joined).repeat(100);
    String numbers = "(".repeat(15) + "time()" + " ^ 1.001)".repeat(15);
    String functions = "sin(cos(".repeat(30) + "vector(time())" + "))".repeat(30);
    return Map.of(
        "sorting",
        COMPUTES,
        "patterns",
        "/api/v1/series?match%5B%5D=" + encoded(LONG_PATTERN),
        "joins",
        range(joins, START, 3_000),
        "long windows",
        range("stddev_over_time(vector(1)[6d:1s])", START, 10_000),
        "numbers at the steps of a subquery",
        "/api/v1/query?query=" + encoded("sum_over_time(vector(" + numbers + ")[23d:1s])"),
        "values at the steps of a subquery",
        "/api/v1/query?query=" + encoded("sum_over_time(" + functions + "[23d:1s])"));
  }

  @Test
  void stopsWithin100MillisAmidWhatItComputes() throws Exception {
    QueryLimits limits = limits(100_000, 100_000_000, 2L << 30, 100_000_000, Duration.ofMinutes(2));
    start("memory", options(limits, new QueryCapacity(4, 4, Duration.ofSeconds(10), 4L << 30)));
    write(100, 10);
    writeLongLabels();
    for (Map.Entry<String, String> computing : computing().entrySet()) {
      Duration best = ENDLESS;
      for (int round = 0; round < 5 && best.compareTo(STOPPED) > 0; round++) {
        CompletableFuture<HttpResponse<String>> answer = ask(computing.getValue());
        String id = awaitState("running");
        Thread.sleep(100);
        long start = System.nanoTime();
        server.post(STATUS + "/" + id + "/kill", "");
        awaitNoQuery(start);
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        best = best.compareTo(took) < 0 ? best : took;
        assertThat(answer.get(SOON.toMillis(), TimeUnit.MILLISECONDS).statusCode())
            .as(computing.getKey())
            .isEqualTo(499);
      }
      assertThat(best).as(computing.getKey()).isLessThanOrEqualTo(STOPPED);
    }
  }

  private void awaitNoQuery(long start) throws InterruptedException {
    while (!server.get(STATUS).body().contains("\"queries\":[]")) {
      assertThat(System.nanoTime() - start).isLessThan(ENDLESS.toNanos());
      Thread.sleep(1);
    }
  }

  @Test
  void endsSearchesByPatternsThatTakeLong() throws Exception {
    writeLongLabels();
    for (String path :
        List.of(
            "/api/v1/series?match%5B%5D=" + encoded(LONG_PATTERN),
            "/api/v1/labels?match%5B%5D=" + encoded(LONG_PATTERN),
            "/api/v1/label/long/values?match%5B%5D=" + encoded(LONG_PATTERN),
            "/varve/v1/explain?analyze=true&from=0&selector=" + encoded(LONG_PATTERN),
            "/varve/v1/query?from=0&selector=" + encoded(LONG_PATTERN))) {
      CompletableFuture<HttpResponse<String>> answer = ask(path);
      String id = awaitState("running");
      server.post(STATUS + "/" + id + "/kill", "");
      assertThat(answer.get(SOON.toMillis(), TimeUnit.MILLISECONDS).statusCode())
          .as(path)
          .isEqualTo(499);
      awaitIdle();
    }
  }

  /** Each value keeps thousands of pattern states active, character by character. */
  private void writeLongLabels() {
    String value = "a".repeat(200);
    StringBuilder body = new StringBuilder("[");
    for (int i = 0; i < 3000; i++) {
      body.append(i == 0 ? "" : ",");
      body.append("{\"name\":\"m\",\"tags\":{\"long\":\"").append(value).append(i);
      body.append("\"},\"datapoints\":[[").append(START).append(",1]]}");
    }
    assertThat(server.post("/api/v1/datapoints", body.append("]").toString()).statusCode())
        .isEqualTo(204);
  }

  @Test
  void stopsWithin100MillisAmidAnAnswerThatNobodyReads() throws Exception {
    write(40, 5000);
    Duration best = ENDLESS;
    for (int round = 0; round < 5 && best.compareTo(STOPPED) > 0; round++) {
      Duration took = timeToStopAnAnswer();
      best = best.compareTo(took) < 0 ? best : took;
    }
    assertThat(best).isLessThanOrEqualTo(STOPPED);
    awaitIdle();
  }

  private Duration timeToStopAnAnswer() throws Exception {
    try (Socket socket = new Socket()) {
      socket.setReceiveBufferSize(4096);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
      String request = "GET /varve/v1/query?selector=m&from=0&to=" + (START + 10_000_000);
      socket
          .getOutputStream()
          .write((request + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(UTF_8));
      String id = awaitState("running");
      await().until(() -> server.get(STATUS).body().matches(".*\"pointsReturned\":[1-9].*"));
      Thread.sleep(300);
      long start = System.nanoTime();
      assertThat(server.post(STATUS + "/" + id + "/kill", "").statusCode()).isEqualTo(200);
      awaitNoQuery(start);
      return Duration.ofNanos(System.nanoTime() - start);
    }
  }

  @Test
  void countsAClientThatGoesAwayAmidAnAnswer() throws Exception {
    write(40, 5000);
    for (int i = 0; i < 3; i++) {
      try (Socket socket = new Socket()) {
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
        String request = "GET /varve/v1/query?selector=m&from=0&to=" + (START + 10_000_000);
        socket
            .getOutputStream()
            .write((request + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(UTF_8));
        awaitState("running");
        assertThat(socket.getInputStream().read()).isEqualTo('H');
      }
      awaitIdle();
    }
    assertThat(server.get("/metrics").body())
        .containsPattern("varve_queries_total\\{.*language=\"varve\",outcome=\"gone\"} 3.0");
  }

  @Test
  void countsAsRefusedWhatIsRefusedAmidAnAnswer() {
    StringBuilder points = new StringBuilder();
    String point = "{\"metric\":\"t\",\"tags\":{\"host\":\"%s\"},\"time\":%d,\"value\":%s}\n";
    for (int i = 0; i < 5000; i++) {
      points.append(point.formatted("a", START + 1000L * i, i + ".5"));
    }
    points.append(point.formatted("b", START, "{\"string\":\"up\"}"));
    assertThat(server.post("/varve/v1/points", points.toString()).body())
        .contains("\"accepted\":5001");
    String path = "/varve/v1/query?selector=t&rate=gauge&from=0&to=" + (START + 10_000_000);
    HttpResponse<String> answer = server.get(path);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains("{\"error\":\"").endsWith("it needs numbers\"}");
    awaitIdle();
    assertThat(server.get("/metrics").body())
        .containsPattern("varve_queries_total\\{.*language=\"varve\",outcome=\"refused\"} 1.0");
  }

  @Test
  void letsSoManyRunAndSoManyWait() throws Exception {
    start(
        "memory",
        options(QueryLimits.DEFAULTS, new QueryCapacity(1, 1, Duration.ofMinutes(1), 256 << 20)));
    CompletableFuture<HttpResponse<String>> first = ask(COMPUTES);
    String running = awaitState("running");
    CompletableFuture<HttpResponse<String>> second = ask(COMPUTES);
    String queued = awaitState("queued");
    // A light query waits only until the first one is known to be heavy.
    await().atMost(SOON).until(() -> server.get("/api/v1/query?query=1").statusCode() == 200);
    HttpResponse<String> third = server.get(COMPUTES);
    assertThat(third.statusCode()).as(third.body()).isEqualTo(429);
    assertThat(third.headers().firstValue("Retry-After")).contains("1");
    assertThat(third.body())
        .contains("1 queries are running and 1 waiting", "(queries.concurrency and queries.queue)");

    server.post(STATUS + "/" + queued + "/kill", "");
    assertThat(second.get(SOON.toMillis(), TimeUnit.MILLISECONDS).statusCode()).isEqualTo(499);

    CompletableFuture<HttpResponse<String>> fourth = ask(COMPUTES);
    String next = awaitState("queued");
    server.post(STATUS + "/" + running + "/kill", "");
    first.get(SOON.toMillis(), TimeUnit.MILLISECONDS);
    assertThat(awaitState("running")).isEqualTo(next);
    server.post(STATUS + "/" + next + "/kill", "");
    fourth.get(SOON.toMillis(), TimeUnit.MILLISECONDS);
    awaitIdle();
  }

  @Test
  void sendsAwayWhoHasWaitedTooLong() throws Exception {
    start(
        "memory",
        options(QueryLimits.DEFAULTS, new QueryCapacity(1, 1, Duration.ofMillis(300), 64 << 20)));
    CompletableFuture<HttpResponse<String>> first = ask(COMPUTES);
    String running = awaitState("running");
    HttpResponse<String> waited = server.get(COMPUTES);
    assertThat(waited.statusCode()).isEqualTo(503);
    assertThat(waited.body())
        .contains(
            "\"errorType\":\"timeout\"",
            "the query is heavy and waited 300 ms",
            "(queries.wait and half of queries.concurrency)");
    server.post(STATUS + "/" + running + "/kill", "");
    first.get(SOON.toMillis(), TimeUnit.MILLISECONDS);
    awaitIdle();
  }

  @Test
  void endsWhatTakesTooLong() throws Exception {
    HttpResponse<String> asked =
        ask(COMPUTES + "&timeout=200ms").get(SOON.toMillis(), TimeUnit.MILLISECONDS);
    assertThat(asked.statusCode()).isEqualTo(503);
    assertThat(asked.body()).contains("\"errorType\":\"timeout\"", "longer than 200 ms");

    start(
        "memory",
        options(limits(10, 1000, 64 << 20, 1000, Duration.ofMillis(300)), QueryCapacity.DEFAULTS));
    HttpResponse<String> configured =
        ask(COMPUTES + "&timeout=1h").get(SOON.toMillis(), TimeUnit.MILLISECONDS);
    assertThat(configured.body()).contains("longer than 300 ms");
    awaitIdle();
  }

  @Test
  void refusesWhatGoesBeyondALimitAndSaysHowFarItWent() throws Exception {
    start(
        "memory",
        options(limits(4, 500, 16 << 10, 300, Duration.ofMinutes(1)), QueryCapacity.DEFAULTS));
    write(5, 101);
    String range = "&start=%d&end=%d&step=1".formatted(START / 1000, START / 1000 + 100);
    assertRefused("/api/v1/query_range?query=m" + range, 422)
        .contains("\"errorType\":\"execution\"")
        .contains("the query matches 5 series, more than the limit of 4");
    String four = encoded("m{host!=\"h4\"}");
    assertRefused("/api/v1/query_range?query=" + four + range, 422)
        .contains("the answer has more points than the limit of 300: it stopped at 303");
    String pair = encoded("sum(m{host!=\"h4\"}) + sum(m{host=~\"h[0-3]\"} offset 1s)");
    assertRefused("/api/v1/query_range?query=" + pair + range, 422)
        .contains("the query matches 8 series, more than the limit of 4");
    String two = encoded("sum(m{host=~\"h[01]\"}) + sum(m{host=~\"h[01]\"} offset 1ms) ");
    assertThat(server.get("/api/v1/query_range?query=" + two + range).statusCode()).isEqualTo(200);
    String kairos =
        "{\"start_absolute\":0,\"metrics\":[{\"name\":\"m\",\"tags\":{\"host\":[\"h0\"]}},{\"name\":\"m\",\"tags\":{\"host\":[\"h1\",\"h2\",\"h3\",\"h4\"]}}]}";
    HttpResponse<String> refused = server.post("/api/v1/datapoints/query", kairos);
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("the query matches 5 series, more than the limit of 4");
    String varve = "/varve/v1/query?from=0&selector=";
    assertRefused(varve + four, 400).contains("points than the limit of 300: it stopped at 303");
    assertRefused("/api/v1/series?match%5B%5D=m", 422).contains("matches 5 series");
    assertThat(server.get("/api/v1/series?match%5B%5D=m&limit=3").statusCode()).isEqualTo(200);
    String tags = "{\"start_absolute\":0,\"metrics\":[{\"name\":\"m\"}]}";
    assertThat(server.post("/api/v1/datapoints/query/tags", tags).body())
        .contains("matches 5 series");
    assertRefused("/api/v1/query?query=" + encoded("sum_over_time(vector(1)[7000000s:1s])"), 422)
        .contains("a subquery has 7,000,000 steps, more than the limit of 5,000,000");
    assertRefused("/api/v1/query?query=" + encoded("sum_over_time(vector(1)[7000s:1s])"), 422)
        .contains("KiB that a query may hold; it stopped at");
    awaitIdle();
    assertThat(server.get("/metrics").body())
        .containsPattern("varve_queries_total\\{.*language=\"promql\",outcome=\"limit\"} ");
  }

  /** Series read together, at most 256, are counted when all of them have been read. */
  @Test
  void saysWhatAllOfARefusedQueryWouldHaveTaken() throws Exception {
    QueryLimits samples = limits(1000, 1000, 64 << 20, 1 << 20, Duration.ofMinutes(1));
    assertForetold(
        samples,
        40,
        101,
        "sum(m)",
        "it stopped at [\\d,]+, in series \\d+ of 40, and would read about ([\\d,]+);");
    QueryLimits points = limits(1000, 1 << 20, 64 << 20, 1000, Duration.ofMinutes(1));
    assertForetold(points, 40, 101, "m", "it stopped at [\\d,]+, and would have about ([\\d,]+);");
    QueryLimits cells =
        new QueryLimits(
            1000, 1 << 20, 64 << 20, 1 << 20, 1000, Duration.ofMinutes(1), 12_000, Long.MAX_VALUE);
    assertForetold(
        cells,
        800,
        20,
        "sum(m)",
        "it stopped at [\\d,]+ cells and [\\d,]+ bytes, and would read about ([\\d,]+) cells");
  }

  /** Each sample is one cell and, at one-second steps, one point of the answer. */
  private void assertForetold(
      QueryLimits limits, int series, int samples, String query, String message) throws Exception {
    start("memory", options(limits, QueryCapacity.DEFAULTS));
    write(series, samples);
    HttpResponse<String> answer = server.get(range(query, START, samples));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(422);
    Matcher said = Pattern.compile(message).matcher(answer.body());
    assertThat(said.find()).as(answer.body()).isTrue();
    long all = (long) series * samples;
    assertThat(Long.parseLong(said.group(1).replace(",", ""))).isBetween(all / 2, 2 * all);
  }

  private AbstractStringAssert<?> assertRefused(String path, int status) {
    HttpResponse<String> answer = server.get(path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return assertThat(answer.body());
  }

  @Test
  void asksToComeBackWhereAllTogetherHoldTooMuch() throws Exception {
    start(
        "memory",
        options(
            QueryLimits.DEFAULTS.withMemory(8 << 20),
            new QueryCapacity(4, 4, Duration.ofSeconds(1), 100 << 10)));
    HttpResponse<String> busy =
        server.get("/api/v1/query?query=" + encoded("sum_over_time(vector(1)[7000s:1s])"));
    assertThat(busy.statusCode()).isEqualTo(503);
    assertThat(busy.headers().firstValue("Retry-After")).contains("5");
    assertThat(busy.body()).contains("all queries together hold");
    awaitIdle();
  }

  @Test
  void answersALightQueryBesideHeavyOnes() throws Exception {
    List<CompletableFuture<HttpResponse<String>>> heavy = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      heavy.add(ask(COMPUTES + "&timeout=3s"));
    }
    awaitState("running");
    assertThat(ask("/api/v1/query?query=1").get(2, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    for (CompletableFuture<HttpResponse<String>> one : heavy) {
      assertThat(one.get(10, TimeUnit.SECONDS).statusCode()).isEqualTo(503);
    }
    awaitIdle();
  }

  @Test
  void refusesConnectionsBeyondTheirLimit() throws Exception {
    server.close();
    server = TestServer.withConnections(directory.resolve("few"), ConnectionLimits.ofMax(8));
    try (Socket first = server.connect();
        Socket second = server.connect()) {
      first.getOutputStream().write("put m 1 1 a=b\n".getBytes(UTF_8));
      second.getOutputStream().write("put m 2 1 a=b\n".getBytes(UTF_8));
      await()
          .atMost(SOON)
          .until(() -> server.get("/metrics").body().contains("\nvarve_line_connections 2"));
      try (Socket third = server.connect()) {
        third
            .getOutputStream()
            .write("GET /varve/v1/dataset HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(UTF_8));
        String refusal = new String(third.getInputStream().readAllBytes(), UTF_8);
        assertThat(refusal)
            .startsWith("HTTP/1.1 503 ")
            .contains(
                "Retry-After: 5",
                "2 connections of this client are open",
                "connections.per-client");
      }
    }
    await()
        .atMost(SOON)
        .until(() -> {
          try (Socket again = server.connect()) {
            OutputStream out = again.getOutputStream();
            out.write(
                "GET /-/healthy HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                    .getBytes(UTF_8));
            return new String(again.getInputStream().readAllBytes(), UTF_8)
                .startsWith("HTTP/1.1 200");
          }
        });
  }
}
