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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Runs many heavy queries at once from the client of a light one. The server must bound its memory
 * and answer the light query all the time.
 */
class HeavyQueriesIT {
  private static final int HEAVY = 60;
  private static final int SERIES = 20_000;
  private static final int DENSE_SERIES = 50;
  private static final int DENSE_SAMPLES = 1_440;
  private static final int BATCH = 20_000;

  /** Time that a refused query has waited. Heavy queries may be refused, light ones must not. */
  private static final Duration WAIT = Duration.ofSeconds(8);

  /** Time of the last sample in seconds. Samples are 15 s apart. */
  private static final long END = 1_750_000_000L;

  private static final String ALL = "{__name__=~\".+\"}";
  private static final String LIGHT = "/api/v1/query?query=light&time=" + END;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** The outcome of a heavy query. */
  private record End(String kind, int status, long millis, long bytes) {}

  @Test
  void leaveRoomForALightQuery() throws Exception {
    Path folder = Checkout.fresh("heavy-queries");
    String config =
        "data: varve-data\nlisten: [{port: PORT}]\nmemory: 32MB\nqueries: {time: 5s, wait: %ds}\n"
            .formatted(WAIT.toSeconds());
    try (VarveProcess varve = VarveProcess.in(folder, config).withHeap("512m").start();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      write(varve);
      for (int i = 0; i < 100; i++) {
        assertThat(varve.get(LIGHT).statusCode()).isEqualTo(200);
      }
      List<Future<End>> heavy = new ArrayList<>();
      CountDownLatch left = new CountDownLatch(HEAVY);
      List<Map.Entry<String, HttpRequest>> kinds = List.copyOf(heavy(varve).entrySet());
      for (int i = 0; i < HEAVY; i++) {
        Map.Entry<String, HttpRequest> kind = kinds.get(i % kinds.size());
        heavy.add(
            threads.submit(() -> {
              try {
                return ask(kind.getKey(), kind.getValue());
              } finally {
                left.countDown();
              }
            }));
      }
      List<Long> light = new ArrayList<>();
      while (left.getCount() > 0) {
        long start = System.nanoTime();
        HttpResponse<String> answer = varve.get(LIGHT);
        light.add((System.nanoTime() - start) / 1_000_000);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).contains("\"42\"");
        VarveProcess.sleep(20);
      }
      List<End> ends = new ArrayList<>();
      for (Future<End> one : heavy) {
        ends.add(one.get());
      }
      light.sort(null);
      report(ends, light, varve);
      assertThat(ends).allSatisfy(end -> assertThat(end.status()).isIn(0, 200, 400, 422, 503));
      assertThat(light.getLast()).as("ms of the slowest").isLessThan(WAIT.toMillis());
      assertThat(light).as("answers to the light query").hasSizeGreaterThan(20);
      assertThat(varve.log()).doesNotContain("OutOfMemoryError", "StackOverflowError");
      assertThat(varve.get("/-/healthy").statusCode()).isEqualTo(200);
    }
  }

  private static void report(List<End> ends, List<Long> light, VarveProcess varve)
      throws IOException {
    Map<String, Long> statuses =
        ends.stream()
            .collect(
                Collectors.groupingBy(
                    end -> end.kind() + ": " + end.status(), TreeMap::new, Collectors.counting()));
    String report =
        "light query: %,d answers, median %d ms, slowest %d ms; heavy ones: longest %,d ms; %,d MB resident at most%n%s%n"
            .formatted(
                light.size(),
                light.get(light.size() / 2),
                light.getLast(),
                ends.stream().mapToLong(End::millis).max().orElse(0),
                varve.residentMax() >> 20,
                statuses);
    Files.writeString(Path.of("target", "heavy-queries.txt"), report);
    System.out.println(report);
  }

  private static Map<String, HttpRequest> heavy(VarveProcess varve) {
    Map<String, HttpRequest> all = new TreeMap<>();
    all.put("all at many steps", range(varve, ALL, 10_000));
    all.put("groups of one", range(varve, "sum by (id, zone, rack) (many)", 2_000));
    all.put("all sorted", instant(varve, "sort_desc(sort(" + ALL + "))"));
    all.put("values counted", instant(varve, "count_values(\"v\", " + ALL + ")"));
    all.put("a pattern", instant(varve, "count({id=~\"(.*1.*|.*2.*)3.*\"})"));
    all.put("the greatest", range(varve, "topk(10, " + ALL + ")", 1_000));
    all.put("quantiles", range(varve, "quantile_over_time(0.9, dense[6h])", 10_000));
    all.put("subqueries", instant(varve, "stddev_over_time(dense[6h:100ms])"));
    all.put("joins", instant(varve, "many + on (id) many + on (id) many + on (id) many"));
    all.put(
        "groups of KairosDB",
        HttpRequest.newBuilder(varve.uri("/api/v1/datapoints/query"))
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    ("{\"start_absolute\":1,\"end_absolute\":%d,\"metrics\":[{\"name\":\"many\","
                            + "\"group_by\":[{\"name\":\"tag\",\"tags\":[\"id\",\"zone\"]}]}]}")
                        .formatted(END * 1000)))
            .build());
    return all;
  }

  private static HttpRequest instant(VarveProcess varve, String query) {
    return get(varve, "/api/v1/query?time=" + END + "&query=", query);
  }

  private static HttpRequest range(VarveProcess varve, String query, int steps) {
    String path = "/api/v1/query_range?start=%d&end=%d&step=1&query=".formatted(END - steps, END);
    return get(varve, path, query);
  }

  private static HttpRequest get(VarveProcess varve, String path, String query) {
    String encoded = URLEncoder.encode(query, StandardCharsets.UTF_8);
    return HttpRequest.newBuilder(varve.uri(path + encoded)).build();
  }

  private End ask(String kind, HttpRequest request) throws InterruptedException {
    long start = System.nanoTime();
    int status = 0;
    long bytes = 0;
    try {
      HttpResponse<InputStream> answer =
          client.send(request, HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = answer.body()) {
        byte[] part = new byte[1 << 16];
        for (int read = body.read(part); read >= 0; read = body.read(part)) {
          bytes += read;
        }
      }
      status = answer.statusCode();
    } catch (IOException e) {
      // An answer that was refused after its start breaks off.
      status = 0;
    }
    return new End(kind, status, (System.nanoTime() - start) / 1_000_000, bytes);
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
}
