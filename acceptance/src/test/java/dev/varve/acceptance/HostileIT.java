package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs all {@link Attackers} at once against a server with a heap of 1 GB, beside a writer, a
 * telnet client and a light query. The server must survive, keep every acknowledged sample, also
 * over a kill, and release what the attackers held. A run takes {@code -Dvarve.hostile.seconds}, 20
 * by default, and harmless clients must get answers within {@code -Dvarve.hostile.latency} ms.
 * {@code -Dvarve.hostile.only=NAME,NAME} selects attacks, to find the one that does harm.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class HostileIT {
  private static final Duration TIME =
      Duration.ofSeconds(Integer.getInteger("varve.hostile.seconds", 20));

  private static final @Nullable String ONLY = System.getProperty("varve.hostile.only");

  /**
   * The promise to harmless clients is one second, for a server with compiled code that shares two
   * processors only with the attackers.
   */
  private static final Duration LATENCY =
      Duration.ofMillis(Integer.getInteger("varve.hostile.latency", 5_000));

  /** Maximum time without an acknowledgement for the writer. */
  private static final Duration PROGRESS = Duration.ofSeconds(10);

  /** Time after which the code for the harmless clients is compiled. */
  private static final Duration WARM_UP = Duration.ofSeconds(3);

  private static final Duration RELIEF = Duration.ofSeconds(30);
  private static final Duration START_MAX = Duration.ofSeconds(30);

  /** The JVM has code, threads and buffers beside the heap, and RocksDB its caches. */
  private static final long RESIDENT_MAX = (1024 + 750L) << 20;

  /** Time of the last sample for heavy queries, in seconds. */
  private static final long END = 1_750_000_000L;

  private static final int SERIES = 20_000;
  private static final int DENSE_SERIES = 50;
  private static final int DENSE_SAMPLES = 1_440;
  private static final String GOOD = "127.0.0.1";
  private static final int BATCH_SERIES = 10;
  private static final int PROBE_MS = 10_000;

  @Test
  void servesOthersWhileClientsOfOtherAddressesAttack() throws Exception {
    run("other-addresses", false);
  }

  @Test
  void survivesWhatComesFromTheAddressOfEverybodyElse() throws Exception {
    run("one-address", true);
  }

  private void run(String name, boolean oneAddress) throws Exception {
    Path folder = Checkout.fresh("hostile-" + name);
    Attackers.Ports free =
        new Attackers.Ports(
            0, VarveProcess.freePort(), VarveProcess.freePort(), VarveProcess.freePort());
    try (VarveProcess varve =
        VarveProcess.in(folder, config(free)).withHeap("1g").compiledAsThisTest().start()) {
      Attackers.Ports ports =
          new Attackers.Ports(varve.port(), free.influx(), free.graphite(), free.pickle());
      fill(varve);
      Bystanders good = new Bystanders(varve);
      Attackers attackers = new Attackers(ports, END, oneAddress, ONLY);
      try (good;
          attackers) {
        good.start();
        Thread.sleep(WARM_UP);
        good.beginToCount();
        attackers.start();
        Thread.sleep(TIME);
        good.stop();
      }
      assertThat(varve.isAlive()).as("the server lives" + varve.shownLog()).isTrue();
      report(name, attackers.report(), good, varve.residentMax());
      good.check(oneAddress);
      assertThat(attackers.absent()).as("attacks that did not take place").isEmpty();
      assertThat(attackers.failing()).as("attacks that met an internal error").isEmpty();
      assertRelieved(varve);
      good.assertKept("while it ran");
      assertThat(varve.log())
          .doesNotContain("OutOfMemoryError", "StackOverflowError", "failed, reference");
      for (String first : List.of("varve-http", "varve-operation", "ForkJoinPool-1-")) {
        assertThat(varve.niceValues(first))
            .as("nice values of threads %s", first)
            .containsExactly(0);
      }
      assertThat(varve.residentMax()).as("bytes resident at most").isLessThan(RESIDENT_MAX);

      varve.kill();
      long start = System.nanoTime();
      varve.start();
      Duration opened = Duration.ofNanos(System.nanoTime() - start);
      good.assertKept("after a kill");
      System.out.printf(
          "%s: started again in %,d ms, %,d samples acknowledged and found%n",
          name, opened.toMillis(), good.writer.acknowledged());
      assertThat(opened).as("until it was ready again").isLessThan(START_MAX);
      assertThat(varve.stop()).isEqualTo(VarveProcess.TERMINATED);
    }
  }

  private static String config(Attackers.Ports ports) {
    return """
    data: data
    listen:
      - {port: PORT}
      - {port: %d, protocol: influx}
      - {port: %d, protocol: graphite}
      - {port: %d, protocol: graphite-pickle}
    """
        .formatted(ports.influx(), ports.graphite(), ports.pickle());
  }

  /** Writes the samples for queries. */
  private static void fill(VarveProcess varve) throws IOException {
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

  private static void lines(VarveProcess varve, int count, IntFunction<String> line)
      throws IOException {
    String body = IntStream.range(0, count).mapToObj(line).collect(Collectors.joining("\n"));
    HttpResponse<String> response = varve.post("/write", body);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(204);
  }

  /** Waits until nothing is held any more after the attack. */
  private static void assertRelieved(VarveProcess varve) {
    long start = System.nanoTime();
    Awaitility.await()
        .atMost(RELIEF)
        .untilAsserted(() -> {
          String metrics = varve.get("/metrics").body();
          for (String held :
              List.of(
                  "varve_write_budget_bytes",
                  "varve_queries_running",
                  "varve_queries_waiting",
                  "varve_query_memory_bytes")) {
            assertThat(metric(metrics, held)).as(held).isZero();
          }
          assertThat(metric(metrics, "varve_connections")).as("connections").isLessThan(20);
        });
    System.out.printf("relieved after %,d ms%n", (System.nanoTime() - start) / 1_000_000);
  }

  private static double metric(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + name + " in " + metrics));
  }

  private static void report(String name, String attacks, Bystanders good, long resident)
      throws IOException {
    String report =
        """

        %s, %d s: %s; %s; %,d samples acknowledged, %,d ms between two batches at most; \
        %,d telnet lines; %,d MB resident at most

        %s\
        """
            .formatted(
                name,
                TIME.toSeconds(),
                good.light,
                good.healthy,
                good.writer.acknowledged(),
                good.writer.slowestMillis,
                good.telnet.sent.get(),
                resident >> 20,
                attacks);
    System.out.println(report);
    Files.writeString(
        Path.of("target", "hostile.md"),
        report,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /** The harmless clients, all on 127.0.0.1. */
  private static final class Bystanders implements AutoCloseable {
    private final VarveProcess varve;
    private final Probe light;
    private final Probe healthy;
    private final Writer writer;
    private final Telnet telnet;
    private final List<Bystander> all;

    Bystanders(VarveProcess varve) {
      this.varve = varve;
      String query = URLEncoder.encode("light{job=\"a\"}", StandardCharsets.UTF_8);
      this.light =
          new Probe(varve.port(), "light query", "/api/v1/query?time=" + END + "&query=" + query);
      this.healthy = new Probe(varve.port(), "health", "/-/healthy");
      this.writer = new Writer(varve.port());
      this.telnet = new Telnet(varve.port());
      this.all = List.of(light, healthy, writer, telnet);
    }

    void start() {
      all.forEach(Bystander::start);
    }

    /** Starts to record failures. */
    void beginToCount() {
      light.counts = true;
      healthy.counts = true;
    }

    void stop() throws InterruptedException {
      for (Bystander one : all) {
        one.stop();
      }
    }

    /** Checks what is promised during the attack. */
    void check(boolean oneAddress) {
      assertThat(healthy.wrong(Set.of(200), "")).isEmpty();
      assertThat(healthy.slowest()).as("%s", healthy).isLessThan(LATENCY.toMillis());
      assertThat(writer.wrong).isNull();
      if (oneAddress) {
        // A line without room, because its own address holds everything, is refused with a message.
        assertThat(telnet.withoutThrottling()).isEmpty();
      } else {
        assertThat(telnet.broken).isNull();
        assertThat(light.wrong(Set.of(200), "\"42\"")).isEmpty();
        assertThat(light.slowest()).as("%s", light).isLessThan(LATENCY.toMillis());
        assertThat(writer.slowestMillis)
            .as("ms in which no batch was acknowledged")
            .isLessThan(PROGRESS.toMillis());
      }
    }

    /** Checks that every acknowledged sample is there as it was sent. */
    void assertKept(String when) throws IOException {
      List<KairosQuery.Wanted> wanted =
          IntStream.range(0, BATCH_SERIES)
              .mapToObj(i -> new KairosQuery.Wanted("good", Map.of("series", "s" + i)))
              .toList();
      List<NavigableMap<Long, BigDecimal>> found = KairosQuery.all(varve, "default", wanted);
      List<String> problems = new ArrayList<>();
      for (int series = 0; series < BATCH_SERIES; series++) {
        writer.compare(series, found.get(series), problems);
      }
      assertThat(problems).as("samples that are wrong " + when).isEmpty();
      assertThat(writer.acknowledged()).isPositive();
      NavigableMap<Long, BigDecimal> lines =
          KairosQuery.all(
                  varve, "default", List.of(new KairosQuery.Wanted("telnet", Map.of("a", "b"))))
              .getFirst();
      assertThat(lines.size())
          .as("telnet lines that are there " + when)
          .isBetween(telnet.sent.get() - telnet.throttledAtMost(), telnet.sent.get());
    }

    @Override
    public void close() {
      all.forEach(Bystander::interrupt);
    }
  }

  /** Repeats something on its own thread. */
  private abstract static class Bystander {
    private final Thread thread = Thread.ofPlatform().unstarted(this::run);
    private volatile boolean stopped;

    abstract void run();

    void start() {
      thread.start();
    }

    boolean isStopped() {
      return stopped;
    }

    void stop() throws InterruptedException {
      stopped = true;
      thread.join();
    }

    void interrupt() {
      stopped = true;
      thread.interrupt();
    }
  }

  /** Sends the same request every 200 ms, each time on a new connection. */
  private static final class Probe extends Bystander {
    private static final long EVERY_MS = 200;

    /** An answer; status 0 means that there was none. */
    private record Answer(int status, String body, long millis, long atMillis) {}

    private final int port;
    private final String name;
    private final String path;
    private final List<Answer> answers = new ArrayList<>();
    private volatile boolean counts;

    Probe(int port, String name, String path) {
      this.port = port;
      this.name = name;
      this.path = path;
    }

    @Override
    void run() {
      long begin = System.nanoTime();
      while (!isStopped()) {
        boolean counted = counts;
        long start = System.nanoTime();
        int status = 0;
        String body;
        try (RawConnection connection = RawConnection.open(GOOD, port, PROBE_MS)) {
          connection.send(
              "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
          RawConnection.Answer answer = connection.answer();
          status = answer.status();
          body = answer.body();
        } catch (IOException e) {
          body = e.toString();
        }
        if (counted) {
          answers.add(new Answer(status, body, millisSince(start), (start - begin) / 1_000_000));
        }
        VarveProcess.sleep(Math.max(1, EVERY_MS - millisSince(start)));
      }
    }

    long slowest() {
      return answers.stream().mapToLong(Answer::millis).max().orElseThrow();
    }

    /** Returns unexpected answers as text. */
    List<String> wrong(Set<Integer> statuses, String content) {
      return answers.stream()
          .filter(answer -> !statuses.contains(answer.status()) || !answer.body().contains(content))
          .map(Answer::toString)
          .toList();
    }

    @Override
    public String toString() {
      long[] sorted = answers.stream().mapToLong(Answer::millis).sorted().toArray();
      Map<Integer, Long> statuses =
          answers.stream()
              .collect(Collectors.groupingBy(Answer::status, TreeMap::new, Collectors.counting()));
      return "%s %s ms p50 %d, p99 %d, slowest %d"
          .formatted(
              name,
              statuses,
              sorted[sorted.length / 2],
              sorted[sorted.length * 99 / 100],
              sorted[sorted.length - 1]);
    }
  }

  /** Writes ten batches of Influx lines per second, each until it is acknowledged. */
  private static final class Writer extends Bystander {
    private static final long EVERY_MS = 100;
    private static final long START = 1_700_000_000_000L;

    private final int port;

    /** Number of acknowledged batches. The outcome of the next one is unknown. */
    private final AtomicInteger batches = new AtomicInteger();

    private volatile long slowestMillis;
    private volatile @Nullable String wrong;

    Writer(int port) {
      this.port = port;
    }

    long acknowledged() {
      return (long) batches.get() * BATCH_SERIES;
    }

    @Override
    void run() {
      long last = System.nanoTime();
      while (!isStopped()) {
        long start = System.nanoTime();
        long retryMs = write(batches.get());
        if (retryMs == 0) {
          batches.incrementAndGet();
        }
        slowestMillis = Math.max(slowestMillis, millisSince(last));
        last = retryMs == 0 ? System.nanoTime() : last;
        VarveProcess.sleep(retryMs == 0 ? Math.max(1, EVERY_MS - millisSince(start)) : retryMs);
      }
    }

    /** Writes a batch. Returns 0, or the ms after which to send it again. */
    private long write(int batch) {
      String body =
          IntStream.range(0, BATCH_SERIES)
              .mapToObj(
                  i -> "good,series=s%d value=%di %d".formatted(i, value(batch, i), time(batch)))
              .collect(Collectors.joining("\n"));
      try (RawConnection connection = RawConnection.open(GOOD, port, PROBE_MS)) {
        connection.send(
            "POST /write?precision=ms HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(body.length(), body));
        RawConnection.Answer answer = connection.answer();
        if (answer.status() == 204) {
          return 0;
        }
        if (answer.status() == 503) {
          return 1_000 * Long.parseLong(answer.header("Retry-After"));
        }
        wrong = answer.toString();
      } catch (IOException e) {
        return EVERY_MS;
      }
      return EVERY_MS;
    }

    private static long time(int batch) {
      return START + batch;
    }

    private static long value(int batch, int series) {
      return 1_000L * batch + series;
    }

    void compare(int series, NavigableMap<Long, BigDecimal> found, List<String> problems) {
      for (int batch = 0; batch < batches.get(); batch++) {
        BigDecimal value = found.get(time(batch));
        if (value == null || value.longValueExact() != value(batch, series)) {
          problems.add(
              "series %d, batch %d of %d: %s".formatted(series, batch, batches.get(), value));
        }
      }
    }
  }

  /** Puts ten lines per second on one connection and reads the answers; there should be none. */
  private static final class Telnet extends Bystander {
    private final int port;
    private final AtomicInteger sent = new AtomicInteger();
    private volatile @Nullable String broken;

    Telnet(int port) {
      this.port = port;
    }

    /** Returns the maximum number of missing lines: one answer covers the few lines of one read. */
    int throttledAtMost() {
      String all = broken;
      return all == null ? 0 : 10 * all.split("Please throttle writes", -1).length - 10;
    }

    /** Returns the failures, except the answers that refuse lines for lack of room. */
    String withoutThrottling() {
      String all = broken;
      return all == null ? "" : all.replaceAll("(?m)^put: Please throttle writes: .*\\R?", "");
    }

    @Override
    void run() {
      try (RawConnection connection = RawConnection.open(GOOD, port, PROBE_MS)) {
        while (!isStopped()) {
          int value = sent.get();
          connection.send("put telnet %d %d a=b\n".formatted(END - 1_000_000 + value, value));
          sent.incrementAndGet();
          VarveProcess.sleep(100);
        }
        connection.endSending();
        String answers = connection.rest();
        if (!answers.isEmpty()) {
          broken = answers;
        }
      } catch (IOException e) {
        broken = e + " after " + sent + " lines";
      }
    }
  }

  private static long millisSince(long start) {
    return (System.nanoTime() - start) / 1_000_000;
  }
}
