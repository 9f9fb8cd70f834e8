package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Runs queries that could bring a server down, one after the other, with a small heap. Each must
 * end within its limit plus one second, memory must stay bounded, and a light query must be
 * answered all the time.
 */
class QueriesOfDeathIT {
  /** Number of series to query. */
  private static final int SERIES_OF_CHECK = 20_000;

  private static final int SERIES = Integer.getInteger("varve.death.series", SERIES_OF_CHECK);

  private static final Duration LIMIT =
      Duration.ofMillis(Integer.getInteger("varve.death.limit", 500));
  private static final Duration GRACE = Duration.ofSeconds(1);
  private static final int HEAP_MB = Integer.getInteger("varve.death.heap", 256);

  /** The JVM has code, threads and buffers beside the heap, and RocksDB its caches. */
  private static final long RESIDENT_MAX = (HEAP_MB + 650L) << 20;

  /** Status of an answer that broke off after its start. */
  private static final int BROKEN_OFF = 0;

  private static final int TIME_UP = 503;
  private static final String NEVER = "(?!)";
  private static final int DENSE_SERIES = 50;
  private static final int DENSE_SAMPLES = 1_440;
  private static final int BATCH = 20_000;
  private static final int GIANT = 3_000;

  private static final String ALL = "{__name__=~\".+\"}";

  /** Time of the last sample in seconds. Samples are 15 s apart. */
  private static final long END = 1_750_000_000L;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /**
   * The permitted outcomes of a request.
   *
   * @param statuses permitted statuses
   * @param refusal pattern of the message if the request is refused for its content
   */
  private record Permitted(Set<Integer> statuses, String refusal) {
    /** Answered, or timed out on a slow machine. */
    static final Permitted ANSWERED = new Permitted(Set.of(200, TIME_UP), NEVER);

    /** The same for an answer so long that it may time out in the middle. */
    static final Permitted LONG_ANSWER = new Permitted(Set.of(200, TIME_UP, BROKEN_OFF), NEVER);

    /** Never finishes. */
    static final Permitted ENDLESS = new Permitted(Set.of(TIME_UP), NEVER);

    /** Needs more than a query may have, unless it times out before. */
    static final Permitted OVER_LIMIT =
        new Permitted(Set.of(422, TIME_UP), " that (it|a query) may|limit of|possible");

    /** Refused for its content, before anything is read. */
    static Permitted refused(int status, String refusal) {
      return new Permitted(Set.of(status), refusal);
    }

    /** Permits the outcomes of both. */
    Permitted or(Permitted other) {
      Set<Integer> either = new TreeSet<>(statuses);
      either.addAll(other.statuses);
      return new Permitted(either, refusal + "|" + other.refusal);
    }

    /** Permits a refusal because of too many series, in runs with many more series than usual. */
    Permitted orRefusedAtFullSize() {
      return orAtFullSize(OVER_LIMIT);
    }

    /**
     * Permits the other outcomes, too, in runs with many more series and more memory than usual.
     */
    Permitted orAtFullSize(Permitted other) {
      return SERIES > SERIES_OF_CHECK ? or(other) : this;
    }

    boolean permits(Outcome outcome) {
      return statuses.contains(outcome.status())
          && switch (outcome.status()) {
            case 200 -> !outcome.tail().contains("{\"error\":");
            case BROKEN_OFF -> true;
            case TIME_UP -> outcome.head().contains("the query took longer than");
            default -> Pattern.compile(refusal).matcher(outcome.head()).find();
          };
    }
  }

  /** A request that could hurt, and its permitted outcomes. */
  private record HostileRequest(
      String path, Map<String, String> headers, byte @Nullable [] body, Permitted permitted) {
    HttpRequest.Builder request(VarveProcess varve) {
      HttpRequest.Builder request = HttpRequest.newBuilder(varve.uri(path));
      headers.forEach(request::header);
      return body == null ? request : request.POST(HttpRequest.BodyPublishers.ofByteArray(body));
    }
  }

  /** The outcome of a request. */
  private record Outcome(
      String kind,
      Permitted permitted,
      int status,
      long millis,
      long bytes,
      String head,
      String tail) {}

  @Test
  void endWithinTheirLimitsBesideALightQuery() throws Exception {
    Path folder = Checkout.fresh("queries-of-death");
    // Requests without a timeout parameter have the server's timeout, as the light query has. It is
    // longer than theirs, so that the light query outlasts waiting for one of them, and leaves 30 %
    // of the grace, in which a query that times out has to end.
    Duration timeout = LIMIT.plus(GRACE.multipliedBy(7).dividedBy(10));
    String config =
        "data: varve-data\nlisten: [{port: PORT}]\nmemory: 32MB\nqueries: {time: %dms}\n"
            .formatted(timeout.toMillis());
    try (VarveProcess varve = VarveProcess.in(folder, config).withHeap(HEAP_MB + "m").start();
        Light light = new Light(varve)) {
      write(varve);
      light.start();
      List<Outcome> outcomes = new ArrayList<>();
      for (Map.Entry<String, HostileRequest> hostile : hostileRequests().entrySet()) {
        outcomes.add(ask(varve, hostile.getKey(), hostile.getValue()));
      }
      light.stop();
      report(outcomes, light, varve.residentMax());
      assertThat(outcomes)
          .allSatisfy(outcome -> {
            assertThat(outcome.permitted().permits(outcome)).as("%s", outcome).isTrue();
            assertThat(outcome.millis()).as("%s", outcome).isLessThan(LIMIT.plus(GRACE).toMillis());
          });
      assertThat(light.wrong).isNull();
      assertThat(light.slowest.get())
          .as("ms that the slowest light query took")
          .isLessThan(LIMIT.plus(GRACE).toMillis());
      assertThat(light.answers.get()).as("light answers").isGreaterThan(outcomes.size());
      assertThat(varve.get("/-/healthy").statusCode()).isEqualTo(200);
      assertThat(varve.log()).doesNotContain("OutOfMemoryError", "StackOverflowError");
      assertThat(varve.residentMax()).as("bytes resident at most").isLessThan(RESIDENT_MAX);
      assertThat(varve.stop()).isEqualTo(VarveProcess.TERMINATED);
    }
  }

  private void write(VarveProcess varve) throws IOException, InterruptedException {
    long nanos = END * 1_000_000_000L;
    lines(varve, 1, i -> "light,job=a value=42 " + nanos);
    lines(
        varve,
        SERIES,
        i -> "many,id=i%d,zone=z%d,rack=r%d value=%d %d".formatted(i, i % 7, i % 500, i, nanos));
    lines(
        varve,
        DENSE_SERIES * DENSE_SAMPLES,
        i ->
            "dense,id=d%d value=%d %d"
                .formatted(
                    i % DENSE_SERIES,
                    i / DENSE_SERIES,
                    nanos - (DENSE_SAMPLES - 1 - i / DENSE_SERIES) * 15_000_000_000L));
    lines(varve, 100, i -> "giant,id=%d,text=%s value=1 %d".formatted(i, "a".repeat(GIANT), nanos));
  }

  private void lines(VarveProcess varve, int count, IntFunction<String> line)
      throws IOException, InterruptedException {
    for (int from = 0; from < count; from += BATCH) {
      String body =
          IntStream.range(from, Math.min(count, from + BATCH))
              .mapToObj(line)
              .collect(Collectors.joining("\n"));
      HttpResponse<String> response =
          client.send(
              HttpRequest.newBuilder(varve.uri("/write"))
                  .POST(HttpRequest.BodyPublishers.ofString(body))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).as(response.body()).isEqualTo(204);
    }
  }

  private static Map<String, HostileRequest> hostileRequests() {
    Map<String, HostileRequest> all = new LinkedHashMap<>();
    ofPromQl(all);
    ofOperators(all);
    ofTexts(all);
    ofLabels(all);
    ofOtherApis(all);
    return all;
  }

  private static void ofPromQl(Map<String, HostileRequest> all) {
    Permitted steps =
        Permitted.refused(400, "exceeded maximum resolution .*; the query has 100,001 steps");
    all.put("all series", instant("many", Permitted.ANSWERED.orRefusedAtFullSize()));
    all.put(
        "all samples of all series",
        instant(ALL + "[10y]", Permitted.LONG_ANSWER.orRefusedAtFullSize()));
    all.put(
        "most steps of all series",
        range(ALL, 10_999, 1, Permitted.LONG_ANSWER.or(Permitted.OVER_LIMIT)));
    all.put(
        "most steps of long ranges",
        range("sum_over_time(dense[6h])", 10_999, 1, Permitted.LONG_ANSWER));
    all.put(
        "most steps of a quantile",
        range("quantile_over_time(0.9, dense[6h])", 10_999, 1, Permitted.LONG_ANSWER));
    all.put("more steps than there may be", range("many", 100_000, 1, steps));
    all.put(
        "a step of a millisecond", range("rate(dense[5m])", 10_000, 0.001, Permitted.LONG_ANSWER));
    all.put("a century", range("dense", 10_000, 315_360, Permitted.ANSWERED));
    all.put(
        "a range of ages",
        instant("rate(" + ALL + "[290y])", Permitted.ANSWERED.orRefusedAtFullSize()));
    all.put(
        "an offset of ages", instant("many offset 290y", Permitted.ANSWERED.orRefusedAtFullSize()));
    all.put(
        "a subquery of ages", instant("sum_over_time(vector(1)[50y:1ms])", Permitted.OVER_LIMIT));
    all.put(
        "subqueries in subqueries",
        instant(
            "max_over_time(max_over_time(max_over_time(max_over_time(dense[6h:1s])[6h:1s])[6h:1s])[6h:1s])",
            Permitted.ENDLESS.or(Permitted.OVER_LIMIT)));
    all.put(
        "a fine subquery of all",
        instant("stddev_over_time(many[6h:100ms])", Permitted.ENDLESS.orRefusedAtFullSize()));
    all.put(
        "a subquery at each step",
        range("avg_over_time(rate(dense[5m])[6h:1s])", 5_000, 4, Permitted.LONG_ANSWER));
    all.put(
        "a line through ages",
        instant("predict_linear(dense[6h:10ms], 1e9)", Permitted.OVER_LIMIT));
    all.put(
        "groups of one", range("sum by (id, zone, rack) (many)", 5_000, 1, Permitted.OVER_LIMIT));
    all.put(
        "histograms of all",
        instant("histogram_quantile(0.9, " + ALL + ")", Permitted.ANSWERED.orRefusedAtFullSize()));
  }

  private static void ofOperators(Map<String, HostileRequest> all) {
    Permitted twins =
        new Permitted(Set.of(422, TIME_UP), "found duplicate series for the match group");
    all.put(
        "values counted over all",
        instant("count_values(\"v\", " + ALL + ")", Permitted.ANSWERED.orRefusedAtFullSize()));
    all.put(
        "values counted at each step",
        range("count_values(\"v\", dense)", 10_999, 2, Permitted.OVER_LIMIT));
    all.put(
        "all sorted",
        instant("sort_desc(sort(" + ALL + "))", Permitted.LONG_ANSWER.orRefusedAtFullSize()));
    all.put(
        "the greatest of all",
        instant("topk(1e9, " + ALL + ")", Permitted.LONG_ANSWER.orRefusedAtFullSize()));
    all.put(
        "the greatest at each step",
        range(
            "topk(49, dense)",
            10_999,
            2,
            Permitted.OVER_LIMIT.orAtFullSize(Permitted.LONG_ANSWER)));
    all.put(
        "all with all by nothing",
        instant("many * on () many", twins.or(Permitted.ENDLESS.orRefusedAtFullSize())));
    all.put(
        "many to many by a label",
        instant(
            "many + on (zone) group_left many", twins.or(Permitted.ENDLESS.orRefusedAtFullSize())));
    all.put("all and all", instant(chain("many", " and ", 100), Permitted.OVER_LIMIT));
    all.put(
        "all or all",
        instant(
            chain("label_replace(many, \"x\", \"y\", \"\", \"\")", " or ", 50),
            Permitted.OVER_LIMIT));
    all.put(
        "all joined again and again",
        instant(chain("many", " + on (id) ", 100), Permitted.OVER_LIMIT));
  }

  private static void ofTexts(Map<String, HostileRequest> all) {
    Permitted nested = Permitted.refused(400, "parse error: .*400");
    all.put("operators in a row", instant(chain("1", "+", 200_000), nested));
    all.put(
        "parentheses in parentheses",
        instant("(".repeat(100_000) + "1" + ")".repeat(100_000), nested));
    all.put(
        "functions in functions",
        instant(
            "abs(".repeat(380) + "many" + ")".repeat(380),
            Permitted.ANSWERED.orRefusedAtFullSize()));
    all.put(
        "a text of a megabyte",
        instant("many{id=\"" + "x".repeat(1 << 20) + "\"}", Permitted.refused(413, "bytes")));
    all.put(
        "an expression that explodes",
        instant(
            "many{id=~\"(((a{1,90}){1,90}){1,90}){1,90}\"}",
            Permitted.refused(400, "10000 steps")));
    all.put(
        "an expression that goes back",
        instant("giant{text=~\"(a*)*(a|aa)+(.*a){20}b\"}", Permitted.ANSWERED));
    all.put(
        "a layout of a long query",
        form(
            "/api/v1/format_query",
            Map.of("query", chain("abs(x)", " + ", 390)),
            Permitted.ANSWERED));
  }

  private static void ofLabels(Map<String, HostileRequest> all) {
    all.put("giant labels", instant("giant", Permitted.ANSWERED));
    all.put(
        "giant labels compared",
        instant("giant * on (text) group_left count by (text) (giant)", Permitted.ANSWERED));
    all.put(
        "labels that double",
        instant(
            nested("label_replace(", "many", ", \"id\", \"$1$1\", \"id\", \"(.*)\")", 40),
            Permitted.OVER_LIMIT));
    all.put(
        "labels joined with themselves",
        instant(
            nested("label_join(", "many", ", \"id\", \"\", \"id\", \"id\")", 40),
            Permitted.OVER_LIMIT));
    all.put(
        "all series by their labels",
        form(
            "/api/v1/series", Map.of("match[]", ALL), Permitted.LONG_ANSWER.orRefusedAtFullSize()));
    all.put(
        "all values of a label", get("/api/v1/label/id/values", Map.of(), Permitted.LONG_ANSWER));
    all.put(
        "what there is most of",
        get("/api/v1/status/tsdb", Map.of("limit", "10000"), Permitted.LONG_ANSWER));
    all.put(
        "all suggested",
        new HostileRequest(
            "/api/suggest?type=tagv&max=" + Integer.MAX_VALUE,
            Map.of(),
            null,
            Permitted.LONG_ANSWER));
  }

  private static void ofOtherApis(Map<String, HostileRequest> all) {
    Permitted overLimit = new Permitted(Set.of(400, TIME_UP), " that (it|a query) may");
    all.put(
        "all federated",
        get("/federate", Map.of("match[]", ALL), Permitted.LONG_ANSWER.orRefusedAtFullSize()));
    all.put("all read remotely", read(1, false, Permitted.LONG_ANSWER.orAtFullSize(overLimit)));
    all.put(
        "all read remotely in chunks",
        read(1, true, Permitted.LONG_ANSWER.orAtFullSize(overLimit)));
    all.put("all read remotely again and again", read(1_000, false, overLimit));
    all.put(
        "all of KairosDB", kairosDb("{\"name\":\"many\"}", Permitted.LONG_ANSWER.or(overLimit)));
    all.put(
        "gaps of ages of KairosDB",
        kairosDb(
            "{\"name\":\"dense\",\"aggregators\":[{\"name\":\"gaps\",\"sampling\":{\"value\":1,\"unit\":\"milliseconds\"}}]}",
            Permitted.refused(400, "gaps over more than 10,000,000 windows of 1 from 0")));
    all.put(
        "groups of one of KairosDB",
        kairosDb(
            "{\"name\":\"many\",\"group_by\":[{\"name\":\"tag\",\"tags\":[\"id\",\"zone\",\"rack\"]}]}",
            Permitted.LONG_ANSWER.or(overLimit)));
    String selector = URLEncoder.encode(ALL, StandardCharsets.UTF_8);
    String varve = "/varve/v1/query?from=0&to=%d&selector=%s".formatted(END * 1000, selector);
    all.put(
        "all of Varve",
        new HostileRequest(varve, Map.of(), null, Permitted.LONG_ANSWER.orAtFullSize(overLimit)));
    all.put(
        "percentiles of all of Varve",
        new HostileRequest(varve + "&by=id,zone,rack&across=p99", Map.of(), null, overLimit));
  }

  private static String chain(String operand, String operator, int count) {
    return operand + (operator + operand).repeat(count - 1);
  }

  private static String nested(String before, String inner, String after, int depth) {
    return before.repeat(depth) + inner + after.repeat(depth);
  }

  private static HostileRequest instant(String query, Permitted permitted) {
    return form("/api/v1/query", Map.of("query", query, "time", Long.toString(END)), permitted);
  }

  private static HostileRequest range(String query, int steps, double step, Permitted permitted) {
    return form(
        "/api/v1/query_range",
        Map.of(
            "query",
            query,
            "start",
            String.format(Locale.ROOT, "%.3f", END - steps * step),
            "end",
            Long.toString(END),
            "step",
            Double.toString(step)),
        permitted);
  }

  private static HostileRequest form(
      String path, Map<String, String> parameters, Permitted permitted) {
    return new HostileRequest(
        path,
        Map.of("Content-Type", "application/x-www-form-urlencoded"),
        inTime(parameters).getBytes(StandardCharsets.UTF_8),
        permitted);
  }

  private static HostileRequest get(
      String path, Map<String, String> parameters, Permitted permitted) {
    return new HostileRequest(path + "?" + inTime(parameters), Map.of(), null, permitted);
  }

  /** Returns parameters with a timeout for the query. */
  private static String inTime(Map<String, String> parameters) {
    String form =
        parameters.entrySet().stream()
            .map(entry ->
                URLEncoder.encode(entry.getKey(), StandardCharsets.UTF_8)
                    + "="
                    + URLEncoder.encode(entry.getValue(), StandardCharsets.UTF_8)
                    + "&")
            .collect(Collectors.joining());
    return form + "timeout=" + LIMIT.toMillis() + "ms";
  }

  private static HostileRequest kairosDb(String metric, Permitted permitted) {
    return new HostileRequest(
        "/api/v1/datapoints/query",
        Map.of("Content-Type", "application/json"),
        "{\"start_absolute\":1,\"end_absolute\":%d,\"metrics\":[%s]}"
            .formatted(END * 1000, metric)
            .getBytes(StandardCharsets.UTF_8),
        permitted);
  }

  /*
   *   ReadRequest { repeated Query queries = 1; repeated ResponseType accepted_response_types = 2; }
   *   Query { int64 end_timestamp_ms = 2; repeated LabelMatcher matchers = 3; }
   *   LabelMatcher { Type type = 1; string name = 2; string value = 3; }
   */
  private static HostileRequest read(int queries, boolean inChunks, Permitted permitted) {
    byte[] name = "__name__".getBytes(StandardCharsets.UTF_8);
    byte[] pattern = ".+".getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream matcher = new ByteArrayOutputStream();
    matcher.writeBytes(new byte[] {0x08, 2, 0x12, (byte) name.length});
    matcher.writeBytes(name);
    matcher.writeBytes(new byte[] {0x1a, (byte) pattern.length});
    matcher.writeBytes(pattern);
    ByteArrayOutputStream query = new ByteArrayOutputStream();
    query.write(0x10);
    varint(END * 1000, query);
    query.write(0x1a);
    varint(matcher.size(), query);
    query.writeBytes(matcher.toByteArray());
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    for (int i = 0; i < queries; i++) {
      message.write(0x0a);
      varint(query.size(), message);
      message.writeBytes(query.toByteArray());
    }
    message.writeBytes(new byte[] {0x10, (byte) (inChunks ? 1 : 0)});
    return new HostileRequest(
        "/api/v1/read",
        Map.of("Content-Type", "application/x-protobuf", "Content-Encoding", "snappy"),
        asSnappy(message.toByteArray()),
        permitted);
  }

  /** Returns an uncompressed snappy block, which consists of literals of up to 60 bytes. */
  private static byte[] asSnappy(byte[] content) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    varint(content.length, block);
    for (int from = 0; from < content.length; from += 60) {
      int length = Math.min(60, content.length - from);
      block.write((length - 1) << 2);
      block.write(content, from, length);
    }
    return block.toByteArray();
  }

  private static void varint(long value, ByteArrayOutputStream into) {
    long rest = value;
    while (rest >= 0x80) {
      into.write((int) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    into.write((int) rest);
  }

  private Outcome ask(VarveProcess varve, String kind, HostileRequest hostile)
      throws InterruptedException {
    long start = System.nanoTime();
    int status = BROKEN_OFF;
    long bytes = 0;
    String head = "";
    byte[] tail = new byte[0];
    try {
      HttpResponse<InputStream> response =
          client.send(
              hostile.request(varve).timeout(Duration.ofMinutes(2)).build(),
              HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        byte[] first = body.readNBytes(400);
        head = new String(first, StandardCharsets.UTF_8);
        for (byte[] next = first; next.length > 0; next = body.readNBytes(1 << 16)) {
          tail = next;
          bytes += next.length;
        }
      }
      status = response.statusCode();
    } catch (IOException e) {
      head = String.valueOf(e);
    }
    return new Outcome(
        kind,
        hostile.permitted(),
        status,
        (System.nanoTime() - start) / 1_000_000,
        bytes,
        head,
        new String(
            tail,
            Math.max(0, tail.length - 200),
            Math.min(200, tail.length),
            StandardCharsets.UTF_8));
  }

  private static void report(List<Outcome> outcomes, Light light, long resident)
      throws IOException {
    StringBuilder report = new StringBuilder();
    report.append(
        "%,d series, limit %d ms, heap %d MB: slowest light query %d ms of %d, %,d MB resident at most%n%n"
            .formatted(
                SERIES,
                LIMIT.toMillis(),
                HEAP_MB,
                light.slowest.get(),
                light.answers.get(),
                resident >> 20));
    report.append("| kind | status | ms | bytes |\n| --- | ---: | ---: | ---: |\n");
    for (Outcome outcome : outcomes) {
      report.append(
          "| %s | %d | %,d | %,d |%n"
              .formatted(outcome.kind(), outcome.status(), outcome.millis(), outcome.bytes()));
    }
    Files.writeString(Path.of("target", "queries-of-death.md"), report);
    System.out.println(report);
  }

  /** Repeats a light query. */
  private static final class Light implements AutoCloseable {
    private static final String PATH = "/api/v1/query?query=light&time=" + END;

    private final VarveProcess varve;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicLong slowest = new AtomicLong();
    private final AtomicLong answers = new AtomicLong();
    private volatile @Nullable String wrong;
    private final Thread thread = Thread.ofVirtual().unstarted(this::run);

    Light(VarveProcess varve) {
      this.varve = varve;
    }

    void start() {
      thread.start();
    }

    private void run() {
      while (!stopped.get()) {
        long start = System.nanoTime();
        try {
          HttpResponse<String> response = varve.get(PATH);
          if (response.statusCode() != 200 || !response.body().contains("\"42\"")) {
            wrong = response.statusCode() + " " + response.body();
          }
        } catch (IOException e) {
          wrong = e.toString();
        }
        slowest.accumulateAndGet((System.nanoTime() - start) / 1_000_000, Math::max);
        answers.incrementAndGet();
        VarveProcess.sleep(20);
      }
    }

    void stop() throws InterruptedException {
      stopped.set(true);
      thread.join();
    }

    @Override
    public void close() {
      stopped.set(true);
    }
  }
}
