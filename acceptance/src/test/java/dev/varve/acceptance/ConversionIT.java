package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * {@code varve compact --into blocks} converts a dataset of cells while a client writes into old
 * times and the server is killed. Every acknowledged sample is there afterwards, and only those.
 */
class ConversionIT {
  private static final int SERIES = 40;
  private static final int SAMPLES = 5_000;
  private static final long STEP = 600_000;
  private static final int KILLS = 3;
  private static final long SEED = Long.getLong("varve.conversion.seed", System.nanoTime());

  /** Stands for no sample. */
  private static final double NONE = Double.NaN;

  private final Random random = new Random(SEED);
  private final Path folder = Checkout.fresh("conversion");

  /**
   * The values that the server may hold, by series and time: several after a write without an
   * answer.
   */
  private final Map<String, Set<Double>> sent = new ConcurrentHashMap<>();

  @Test
  void convertsBesideWritersThroughKills() throws Exception {
    long first = System.currentTimeMillis() - SAMPLES * STEP;
    try (VarveProcess server = VarveProcess.in(folder, config(""))) {
      server.start();
      fill(server, first);
      server.stop();
    }
    // The server has to start before, which may take long on a busy machine.
    Instant begins = Instant.now().plusSeconds(15).truncatedTo(ChronoUnit.SECONDS);
    String periods = "periods: [{from: \"%s\", layout: blocks}], ".formatted(begins);
    try (VarveProcess server = VarveProcess.in(folder, config(periods)).start()) {
      while (Instant.now().isBefore(begins)) {
        VarveProcess.sleep(50);
      }
      for (int kill = 0; kill < KILLS; kill++) {
        convertUntilKilled(server, first);
        server.start();
      }
      Checkout.Outcome end =
          Checkout.run(folder, "compact", "--into", "blocks", "--config", "varve.yaml");
      assertThat(end.success()).contains("the beginning").contains("true");
      assertThat(server.get("/varve/v1/explain?selector=m&from=" + first).body())
          .contains("\"layout\":\"blocks\"")
          .doesNotContain("\"layout\":\"buckets\"");
      compare();
      server.stop();
    }
    compare();
  }

  private static String config(String periods) {
    return "data: data\nlisten: [{port: PORT}]\ndatasets:\n  main: {%slayout: buckets}\n"
        .formatted(periods);
  }

  private void fill(VarveProcess server, long first) throws IOException {
    for (int series = 0; series < SERIES; series++) {
      List<Long> times = new ArrayList<>();
      for (int i = 0; i < SAMPLES; i++) {
        times.add(first + i * STEP);
      }
      assertThat(write(server, "h" + series, times, series)).isTrue();
    }
  }

  /** Writes one value at several times; returns whether that was acknowledged. */
  private boolean write(VarveProcess server, String host, List<Long> times, double value)
      throws IOException {
    for (long time : times) {
      sent.computeIfAbsent(host + " " + time, key -> new HashSet<>(Set.of(NONE))).add(value);
    }
    String line =
        "{\"metric\":{\"__name__\":\"m\",\"host\":\"%s\"},\"values\":%s,\"timestamps\":%s}%n"
            .formatted(host, times.stream().map(time -> value).toList(), times);
    HttpResponse<String> answer = server.post("/api/v1/import", line);
    if (answer.statusCode() / 100 != 2) {
      return false;
    }
    for (long time : times) {
      sent.put(host + " " + time, new HashSet<>(Set.of(value)));
    }
    return true;
  }

  private void convertUntilKilled(VarveProcess server, long first) throws Exception {
    AtomicBoolean ends = new AtomicBoolean();
    Thread writer = Thread.ofVirtual().start(() -> writeLate(server, first, ends));
    Process command =
        Checkout.varve(folder, "compact", "--into", "blocks", "--config", "varve.yaml")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    VarveProcess.sleep(1_000 + random.nextInt(2_500));
    server.kill();
    ends.set(true);
    writer.join();
    command.waitFor();
  }

  private void writeLate(VarveProcess server, long first, AtomicBoolean ends) {
    double value = 1_000 + random.nextInt(1_000_000);
    while (!ends.get()) {
      List<Long> times = new ArrayList<>();
      for (int i = random.nextInt(30); i >= 0; i--) {
        times.add(first + random.nextInt(SAMPLES) * STEP + random.nextInt(2));
      }
      try {
        write(
            server, "h" + random.nextInt(SERIES + 5), times.stream().distinct().toList(), value++);
      } catch (IOException e) {
        return;
      }
    }
  }

  private void compare() throws Exception {
    Files.deleteIfExists(folder.resolve("out.jsonl"));
    Checkout.run(
            folder,
            "export",
            "--select",
            "m",
            "--format",
            "json",
            "--out",
            "out.jsonl",
            "--config",
            "varve.yaml")
        .success();
    Map<String, Double> found = new HashMap<>();
    for (String line : Files.readAllLines(folder.resolve("out.jsonl"))) {
      Map<String, Object> one = Json.object(line);
      String host = String.valueOf(Json.members(one.get("metric")).get("host"));
      List<Object> times = Json.elements(one.get("timestamps"));
      List<Object> values = Json.elements(one.get("values"));
      for (int i = 0; i < times.size(); i++) {
        found.put(host + " " + times.get(i), ((BigDecimal) values.get(i)).doubleValue());
      }
    }
    List<String> wrong = new ArrayList<>();
    sent.forEach((key, values) -> {
      Double value = found.remove(key);
      if (!values.contains(value == null ? NONE : value)) {
        wrong.add("%s: %s instead of one of %s".formatted(key, value, values));
      }
    });
    assertThat(wrong).as("seed %d", SEED).isEmpty();
    assertThat(found).as("invented, seed %d", SEED).isEmpty();
  }
}
