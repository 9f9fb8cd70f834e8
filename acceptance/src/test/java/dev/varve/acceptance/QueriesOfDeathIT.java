package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Queries that could bring a server down, one after the other, with a small heap: each ends within
 * its limit and a second, memory stays bounded, and a light query beside it is answered all the
 * time.
 */
class QueriesOfDeathIT {
  /** So many series there are to be hurt with. */
  private static final int SERIES = Integer.getInteger("varve.death.series", 20_000);

  private static final Duration LIMIT =
      Duration.ofMillis(Integer.getInteger("varve.death.limit", 500));
  private static final Duration GRACE = Duration.ofSeconds(1);
  private static final int HEAP_MB = Integer.getInteger("varve.death.heap", 256);

  /** Beside the heap a JVM has code, threads, buffers, and RocksDB its caches. */
  private static final long RESIDENT_MAX = (HEAP_MB + 650L) << 20;

  /** An answer that had begun and was broken off. */
  private static final int BROKEN_OFF = 0;

  private static final int DENSE_SERIES = 50;
  private static final int DENSE_SAMPLES = 1_440;
  private static final int BATCH = 20_000;
  private static final int GIANT = 3_000;

  /** Of the last sample, in seconds; those before it are 15 s apart. */
  private static final long END = 1_750_000_000L;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** A request that could hurt. */
  private record Death(String path, Map<String, String> parameters) {}

  /** What became of it. */
  private record End(String kind, int status, long millis, long bytes, String head) {}

  @Test
  void endWithinTheirLimitsBesideALightQuery() throws Exception {
    Path folder = Checkout.fresh("queries-of-death");
    String config = "data: varve-data\nlisten: [{port: PORT}]\nmemory: 32MB\n";
    try (VarveProcess varve = VarveProcess.in(folder, config).withHeap(HEAP_MB + "m").start();
        Light light = new Light(varve)) {
      write(varve);
      light.start();
      List<End> ends = new ArrayList<>();
      for (Map.Entry<String, Death> death : deaths().entrySet()) {
        ends.add(ask(varve, death.getKey(), death.getValue()));
      }
      light.stop();
      report(ends, light, varve.residentMax());
      assertThat(ends)
          .allSatisfy(end -> {
            assertThat(end.status()).as("%s", end).isIn(BROKEN_OFF, 200, 400, 413, 422, 503);
            assertThat(end.millis()).as("%s", end).isLessThan(LIMIT.plus(GRACE).toMillis());
          });
      assertThat(light.wrong).isNull();
      assertThat(light.slowest.get())
          .as("ms that the slowest light query took")
          .isLessThan(LIMIT.plus(GRACE).toMillis());
      assertThat(light.answers.get()).as("light answers").isGreaterThan(ends.size());
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

  private static Map<String, Death> deaths() {
    Map<String, Death> all = new LinkedHashMap<>();
    String everything = "{__name__=~\".+\"}";
    all.put("all series", instant("many"));
    all.put("all samples of all series", instant("{__name__=~\".+\"}[10y]"));
    all.put("most steps of all series", range(everything, 10_999, 1));
    all.put("most steps of long ranges", range("sum_over_time(dense[6h])", 10_999, 1));
    all.put("most steps of a quantile", range("quantile_over_time(0.9, dense[6h])", 10_999, 1));
    all.put("more steps than there may be", range("many", 100_000, 1));
    all.put("a step of a millisecond", range("rate(dense[5m])", 10_000, 0.001));
    all.put("a century", range("dense", 10_000, 315_360));
    all.put("a range of ages", instant("rate({__name__=~\".+\"}[290y])"));
    all.put("an offset of ages", instant("many offset 290y"));
    all.put("a subquery of ages", instant("sum_over_time(vector(1)[50y:1ms])"));
    all.put(
        "subqueries in subqueries",
        instant(
            "max_over_time(max_over_time(max_over_time(max_over_time(dense[6h:1s])[6h:1s])[6h:1s])[6h:1s])"));
    all.put("a fine subquery of all", instant("stddev_over_time(many[6h:100ms])"));
    all.put("a subquery at each step", range("avg_over_time(rate(dense[5m])[6h:1s])", 5_000, 4));
    all.put("values counted over all", instant("count_values(\"v\", " + everything + ")"));
    all.put("values counted at each step", range("count_values(\"v\", dense)", 10_999, 2));
    all.put("all sorted", instant("sort_desc(sort(" + everything + "))"));
    all.put("the greatest of all", instant("topk(1e9, " + everything + ")"));
    all.put("the greatest at each step", range("topk(49, dense)", 10_999, 2));
    all.put("all with all by nothing", instant("many * on () many"));
    all.put("many to many by a label", instant("many + on (zone) group_left many"));
    all.put("all and all", instant(chain("many", " and ", 100)));
    all.put(
        "all or all", instant(chain("label_replace(many, \"x\", \"y\", \"\", \"\")", " or ", 50)));
    all.put("all joined again and again", instant(chain("many", " + on (id) ", 100)));
    all.put("operators in a row", instant(chain("1", "+", 200_000)));
    all.put("parentheses in parentheses", instant("(".repeat(100_000) + "1" + ")".repeat(100_000)));
    all.put("functions in functions", instant("abs(".repeat(380) + "many" + ")".repeat(380)));
    all.put("a text of a megabyte", instant("many{id=\"" + "x".repeat(1 << 20) + "\"}"));
    all.put(
        "an expression that explodes", instant("many{id=~\"(((a{1,90}){1,90}){1,90}){1,90}\"}"));
    all.put("an expression that goes back", instant("giant{text=~\"(a*)*(a|aa)+(.*a){20}b\"}"));
    all.put("giant labels", instant("giant"));
    all.put(
        "giant labels compared", instant("giant * on (text) group_left count by (text) (giant)"));
    all.put(
        "labels that double",
        instant(nested("label_replace(", "many", ", \"id\", \"$1$1\", \"id\", \"(.*)\")", 40)));
    all.put(
        "labels joined with themselves",
        instant(nested("label_join(", "many", ", \"id\", \"\", \"id\", \"id\")", 40)));
    all.put("histograms of all", instant("histogram_quantile(0.9, " + everything + ")"));
    all.put("a line through ages", instant("predict_linear(dense[6h:10ms], 1e9)"));
    all.put("groups of one", range("sum by (id, zone, rack) (many)", 5_000, 1));
    all.put(
        "all series by their labels", new Death("/api/v1/series", Map.of("match[]", everything)));
    all.put("all values of a label", new Death("/api/v1/label/id/values", Map.of()));
    all.put(
        "a layout of a long query",
        new Death("/api/v1/format_query", Map.of("query", chain("abs(x)", " + ", 390))));
    return all;
  }

  private static String chain(String operand, String operator, int count) {
    return operand + (operator + operand).repeat(count - 1);
  }

  private static String nested(String before, String inner, String behind, int depth) {
    return before.repeat(depth) + inner + behind.repeat(depth);
  }

  private static Death instant(String query) {
    return new Death("/api/v1/query", Map.of("query", query, "time", Long.toString(END)));
  }

  private static Death range(String query, int steps, double step) {
    return new Death(
        "/api/v1/query_range",
        Map.of(
            "query",
            query,
            "start",
            String.format(Locale.ROOT, "%.3f", END - steps * step),
            "end",
            Long.toString(END),
            "step",
            Double.toString(step)));
  }

  private End ask(VarveProcess varve, String kind, Death death)
      throws IOException, InterruptedException {
    String form =
        death.parameters().entrySet().stream()
            .map(entry ->
                entry.getKey() + "=" + URLEncoder.encode(entry.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    String limited = form + "&timeout=" + LIMIT.toMillis() + "ms";
    HttpRequest.Builder request =
        death.path().endsWith("/values")
            ? HttpRequest.newBuilder(varve.uri(death.path()))
            : HttpRequest.newBuilder(varve.uri(death.path()))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(limited));
    long start = System.nanoTime();
    try {
      HttpResponse<InputStream> response =
          client.send(
              request.timeout(Duration.ofMinutes(2)).build(),
              HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        byte[] head = body.readNBytes(200);
        long bytes = head.length + body.transferTo(java.io.OutputStream.nullOutputStream());
        long millis = (System.nanoTime() - start) / 1_000_000;
        return new End(
            kind, response.statusCode(), millis, bytes, new String(head, StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      return new End(
          kind, BROKEN_OFF, (System.nanoTime() - start) / 1_000_000, 0, String.valueOf(e));
    }
  }

  private static void report(List<End> ends, Light light, long resident) throws IOException {
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
    for (End end : ends) {
      report.append(
          "| %s | %d | %,d | %,d |%n"
              .formatted(end.kind(), end.status(), end.millis(), end.bytes()));
    }
    Files.writeString(Path.of("target", "queries-of-death.md"), report);
    System.out.println(report);
  }

  /** A light query, asked again and again. */
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
