package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A server that works for long: it takes samples and queries, evaluates rules, deletes, makes
 * backups, and is restarted in the first quarter of the run. It loses nothing that it acknowledged,
 * and in the last quarter it needs no more heap, file handles, threads and native memory than in
 * the second. The process of these quarters is the same, so that nothing hides a slow leak, and the
 * cache of blocks is so small that it is full before the second quarter: its memory grows for half
 * an hour with four times the size.
 *
 * <p>{@code -Dvarve.soak.seconds=N} sets the length, an hour in profile {@code full}. A run of less
 * than half an hour is too short to compare quarters; it checks everything else. The folder of the
 * test has the samples and a plot afterwards, and what the heap and native memory consist of at the
 * end of each quarter.
 */
@Execution(ExecutionMode.CONCURRENT)
class SoakIT {
  private static final Duration LENGTH =
      Duration.ofSeconds(Integer.getInteger("varve.soak.seconds", 30));

  private static final Duration COMPARED_MIN = Duration.ofMinutes(30);
  private static final double GROWTH_MAX = 1.05;
  private static final int SERIES = 200;
  private static final int QUARTERS = 4;
  private static final int RESTARTS = 2;

  private static final String CONFIG =
      """
      data: data
      memory: 16MB
      listen: [{port: PORT}]
      backup: {directory: ../soak-backups}
      deletes: allow
      rules: {files: [rules.yml], interval: 1s}
      datasets:
        main: {layout: blocks}
        cells: {layout: buckets}
      """;

  private static final String RULES =
      """
      groups:
        - name: soak
          interval: 1s
          rules:
            - {record: 'soak:rate', expr: 'sum(rate(soak_total[30s]))'}
            - {alert: Always, expr: 'vector(1)'}
      """;

  private static final List<String> QUERIES =
      List.of(
          "sum(rate(soak_total[1m]))",
          "quantile(0.9, soak_total)",
          "topk(5, soak_total)",
          "count({__name__=~'soak.+'})",
          "max_over_time(soak:rate[5m])");

  private final Path folder = Checkout.fresh("soak");
  private final Path backups = Checkout.fresh("soak-backups");
  private final Queue<String> problems = new ConcurrentLinkedQueue<>();
  private final Map<String, AtomicLong> done = new ConcurrentHashMap<>();

  /** The times, in seconds, whose samples were acknowledged, by dataset. */
  private final Map<String, List<Long>> acknowledged =
      Map.of("main", new ArrayList<>(), "cells", new ArrayList<>());

  /** Clients hold its read lock while they work. Nobody works while the server is measured. */
  private final ReentrantReadWriteLock work = new ReentrantReadWriteLock(true);

  private volatile boolean ended;

  private interface Step {
    void run() throws IOException, InterruptedException;
  }

  @Test
  void needsNoMoreAfterLongWork() throws Exception {
    Files.writeString(folder.resolve("rules.yml"), RULES);
    List<Footprint> footprints = new ArrayList<>();
    try (VarveProcess server =
        VarveProcess.in(folder, CONFIG).withHeap("256m").trackingNativeMemory().start()) {
      List<Thread> clients =
          List.of(
              every(1000, "write main", () -> write(server, "main")),
              every(1000, "write cells", () -> write(server, "cells")),
              every(200, "query", () -> query(server)),
              every(Math.max(5_000, LENGTH.toMillis() / 120), "delete", () -> delete(server)),
              every(Math.max(5_000, LENGTH.toMillis() / 60), "backup", this::backup));
      Instant start = Instant.now();
      for (int quarter = 0; quarter < QUARTERS; quarter++) {
        if (quarter == 0) {
          restart(start, server, footprints);
        }
        Duration end = LENGTH.multipliedBy(quarter + 1L).dividedBy(QUARTERS);
        workUntil(end, quarter, start, server, footprints);
        Footprint.describe(server, folder, quarter + 1);
      }
      ended = true;
      for (Thread client : clients) {
        client.join();
      }
      assertThat(problems).isEmpty();
      backup();
      check(server, "main");
      check(server, "cells");
      server.stop();
    }
    System.out.printf("soak: %s in %s%n", done, LENGTH);
    assertThat(done.keySet()).contains("write main", "write cells", "query", "delete");
    SoakPlot.write(folder, footprints, LENGTH);
    if (LENGTH.compareTo(COMPARED_MIN) >= 0) {
      assertThat(Footprint.growth(footprints))
          .allSatisfy((what, growth) -> assertThat(growth).as(what).isLessThan(GROWTH_MAX));
    }
  }

  /** Restarts the server in the first half of the first quarter, under work. */
  private void restart(Instant start, VarveProcess server, List<Footprint> footprints)
      throws IOException, InterruptedException {
    for (int restart = 1; restart <= RESTARTS; restart++) {
      Duration end = LENGTH.multipliedBy(restart).dividedBy(2L * RESTARTS * QUARTERS);
      workUntil(end, 0, start, server, footprints);
      work.writeLock().lock();
      try {
        server.stop();
        server.start();
      } finally {
        work.writeLock().unlock();
      }
    }
  }

  /** Watches the server until a time since the start, at least once. */
  private void workUntil(
      Duration end, int quarter, Instant start, VarveProcess server, List<Footprint> footprints)
      throws IOException, InterruptedException {
    do {
      work.writeLock().lock();
      try {
        footprints.add(Footprint.of(server, Duration.between(start, Instant.now()), quarter));
      } finally {
        work.writeLock().unlock();
      }
      VarveProcess.sleep(Math.clamp(LENGTH.toMillis() / 240, 500, 15_000));
    } while (Instant.now().isBefore(start.plus(end)));
  }

  /** Repeats a step until the end, at an interval in milliseconds. */
  private Thread every(long interval, String name, Step step) {
    return Thread.ofVirtual()
        .start(() -> {
          while (!ended) {
            work.readLock().lock();
            try {
              step.run();
              done.computeIfAbsent(name, one -> new AtomicLong()).incrementAndGet();
            } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
              problems.add(name + ": " + e);
            } finally {
              work.readLock().unlock();
            }
            VarveProcess.sleep(interval);
          }
        });
  }

  private void write(VarveProcess server, String dataset) throws IOException {
    long now = Instant.now().getEpochSecond();
    StringBuilder lines = new StringBuilder();
    for (int series = 0; series < SERIES; series++) {
      lines.append(
          "soak_total{series=\"%d\"} %d %d\n".formatted(series, now * (series + 1), now * 1000));
      // What is deleted every now and then.
      lines.append("soak_gone{series=\"%d\"} %d %d\n".formatted(series, series, now * 1000));
    }
    HttpResponse<String> answer =
        server.post("/datasets/" + dataset + "/api/v1/import/prometheus", lines.toString());
    if (answer.statusCode() != 204) {
      throw new AssertionError(answer.statusCode() + " " + answer.body());
    }
    List<Long> times = timesOf(dataset);
    if (times.isEmpty() || times.getLast() != now) {
      times.add(now);
    }
  }

  private void query(VarveProcess server) throws IOException {
    long now = Instant.now().getEpochSecond();
    for (String dataset : acknowledged.keySet()) {
      for (String query : QUERIES) {
        HttpResponse<String> answer =
            server.get(
                "/datasets/%s/api/v1/query_range?query=%s&start=%d&end=%d&step=10"
                    .formatted(dataset, encoded(query), now - 600, now));
        if (answer.statusCode() != 200) {
          throw new AssertionError(query + ": " + answer.statusCode() + " " + answer.body());
        }
      }
    }
  }

  private void delete(VarveProcess server) throws IOException {
    for (String dataset : acknowledged.keySet()) {
      HttpResponse<String> answer =
          server.post(
              "/datasets/%s/api/v1/admin/tsdb/delete_series?match[]=%s&end=%d"
                  .formatted(dataset, encoded("soak_gone"), Instant.now().getEpochSecond() - 5),
              "");
      if (answer.statusCode() != 204) {
        throw new AssertionError(answer.statusCode() + " " + answer.body());
      }
    }
  }

  private void backup() throws IOException, InterruptedException {
    Checkout.Outcome outcome =
        Checkout.run(folder, "backup", "--data", "data", "--to", backups.toString(), "--keep", "3");
    if (outcome.exitCode() != 0) {
      throw new AssertionError(outcome.toString());
    }
  }

  /** Asserts that each acknowledged sample that was not deleted is there. */
  private void check(VarveProcess server, String dataset) throws IOException {
    List<Long> times = timesOf(dataset);
    String counts =
        "/datasets/%s/api/v1/query?time=%d&query=%s"
            .formatted(
                dataset,
                times.getLast(),
                encoded(
                    "count(count_over_time(soak_total[%ds]) >= %d)"
                        .formatted(LENGTH.toSeconds() + 300, times.size())));
    assertThat(server.get(counts).body())
        .as("series of %s with at least %d samples", dataset, times.size())
        .contains("\"" + SERIES + "\"]");
  }

  private List<Long> timesOf(String dataset) {
    return Objects.requireNonNull(acknowledged.get(dataset));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
