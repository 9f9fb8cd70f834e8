package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntBiFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what users see when something around the server is wrong. */
class BreakageIT {
  private static Path fresh(String name) {
    return Checkout.fresh("breakage/" + name);
  }

  private static String config(String layout) {
    return "data: data\nlisten: [{port: PORT}]\ndatasets: {d: {layout: " + layout + "}}\n";
  }

  /** Checks that a failure is reported in one or two lines for people, and by exit code 1. */
  private static void assertRefuses(Checkout.Outcome outcome, String... words) {
    assertThat(outcome.exitCode()).as(outcome.toString()).isEqualTo(1);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).contains(words).doesNotContain("Exception", "\tat ");
  }

  @Test
  void saysThatAPortIsTaken() throws Exception {
    Path folder = fresh("port");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String place = "127.0.0.1:" + taken.getLocalPort();
      assertRefuses(
          Checkout.run(folder, "serve", "--data", "data", "--listen", place), place, "--listen");
    }
  }

  @Test
  void saysThatAnotherServerHoldsTheData() throws Exception {
    Path folder = fresh("lock");
    try (VarveProcess server = VarveProcess.in(folder, config("buckets")).start()) {
      String place = "127.0.0.1:" + VarveProcess.freePort();
      assertRefuses(
          Checkout.run(folder, "serve", "--config", "varve.yaml", "--listen", place),
          "in use",
          "data");
      assertThat(server.get("/-/healthy").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void saysThatAnotherServerHoldsTheDirectoryWhereNoSampleLies() throws Exception {
    Path folder = fresh("memory");
    String config =
        "data: data\nlisten: [{port: PORT}]\ndatasets: {d: {layout: buckets, store: {kind: memory}}}\n";
    try (VarveProcess server = VarveProcess.in(folder, config).start()) {
      String place = "127.0.0.1:" + VarveProcess.freePort();
      assertRefuses(
          Checkout.run(folder, "serve", "--config", "varve.yaml", "--listen", place),
          "in use",
          "data",
          "of process");
      assertThat(folder.resolve("data/server.sock")).as("where the first is found").exists();
      assertThat(server.get("/-/healthy").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void refusesALayoutThatTheDataIsNotIn() throws Exception {
    Path folder = fresh("layout");
    try (VarveProcess server = VarveProcess.in(folder, config("buckets")).start()) {
      put(server, 1);
      server.stop();
    }
    String other = config("kairosdb").replace("PORT", "0");
    Files.writeString(folder.resolve("other.yaml"), other);
    assertRefuses(
        Checkout.run(folder, "serve", "--config", "other.yaml"), "'d'", "buckets", "kairosdb");
    Checkout.Outcome kept =
        Checkout.run(
            folder, "query", "m", "--config", "varve.yaml", "--from", "0", "--output", "csv");
    assertThat(kept.success()).as("the data is as it was").contains(",1,0");
  }

  @Test
  void refusesParametersThatTheDataWasNotMadeWith() throws Exception {
    Path folder = fresh("parameters");
    try (VarveProcess server = VarveProcess.in(folder, config("kairosdb")).start()) {
      server.stop();
    }
    Files.writeString(
        folder.resolve("other.yaml"),
        """
        data: data
        listen: [{port: 0}]
        datasets: {d: {layout: kairosdb, parameters: {unit: legacy}}}
        """);
    assertRefuses(Checkout.run(folder, "serve", "--config", "other.yaml"), "'d'", "unit", "legacy");
  }

  @Test
  void refusesADamagedLogAndRecoversTheRest() throws Exception {
    // The row of the sample is written last, so the last occurrence is damaged.
    recoversFromADamagedLog("damaged-log", (log, name) -> log.lastIndexOf(name), 0);
  }

  @Test
  void findsSamplesAgainWhoseCatalogEntryADamagedLogHasLost() throws Exception {
    // The catalog entry is written before the sample, so the first occurrence is damaged.
    recoversFromADamagedLog("damaged-catalog", String::indexOf, 1);
  }

  /**
   * Damages the log of a killed server where it mentions a series of one sample.
   *
   * @param place finds the byte to damage
   * @param kept number of samples of that series after recovery
   */
  private static void recoversFromADamagedLog(
      String name, ToIntBiFunction<String, String> place, int kept) throws Exception {
    Path folder = fresh(name);
    try (VarveProcess server = VarveProcess.in(folder, config("buckets")).start()) {
      assertThat(put(server, 0).statusCode()).isEqualTo(204);
      String one = "{\"name\":\"sought\",\"tags\":{\"series\":\"0\"},\"datapoints\":[[1,1]]}";
      assertThat(server.post("/datasets/d/api/v1/datapoints", one).statusCode()).isEqualTo(204);
      assertThat(put(server, 1).statusCode()).isEqualTo(204);
      server.kill();
      Path log = newestLog(folder.resolve("data/rocksdb"));
      byte[] bytes = Files.readAllBytes(log);
      int damaged = place.applyAsInt(new String(bytes, StandardCharsets.ISO_8859_1), "sought");
      bytes[damaged] ^= 1;
      Files.write(log, bytes);
      assertRefuses(
          Checkout.run(folder, "serve", "--config", "varve.yaml"),
          log.getFileName().toString(),
          "is damaged at byte",
          "edits are missing, written between",
          "varve serve --recover");
      assertThat(log).as("nothing was changed").hasBinaryContent(bytes);

      server.recovering().start();
      assertThat(server.get("/api/v1/status/damage").body())
          .contains("\"kind\":\"log\"", "\"outcome\":\"set_aside\"", "\"lostAfter\":\"20");
      assertThat(server.get("/metrics").body())
          .contains("varve_store_recovery_damaged_logs_total{store=\"rocksdb\"} 1.0");
      assertThat(server.log()).contains("edits are missing, written between");
      assertThat(found(server, "sought", 0)).isEqualTo(kept);
      assertThat(found(server, "m", 0)).isEqualTo(POINTS);
      assertThat(found(server, "m", 1)).isEqualTo(POINTS);
    }
  }

  private static int found(VarveProcess server, String metric, int series) throws IOException {
    Map<String, String> tags = Map.of("series", String.valueOf(series));
    return KairosQuery.all(server, "d", List.of(new KairosQuery.Wanted(metric, tags)))
        .getFirst()
        .size();
  }

  private static Path newestLog(Path store) throws IOException {
    try (Stream<Path> files = Files.list(store)) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .max(Comparator.naturalOrder())
          .orElseThrow();
    }
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void refusesWritesOnAFullDiskAndGoesOnReading() throws Exception {
    Path folder = fresh("full-disk");
    try (VarveProcess server = onSmallDisk(folder)) {
      assertThat(writeUntilRefused(server, 0)).as("requests before the disk was full").isPositive();
      NavigableMap<Long, BigDecimal> found =
          KairosQuery.all(server, "d", List.of(new KairosQuery.Wanted("m", Map.of("series", "0"))))
              .getFirst();
      assertThat(found.size()).as("points of the first request").isEqualTo(POINTS);
      assertThat(server.get("/-/healthy").statusCode()).isEqualTo(200);
      assertThat(server.isAlive()).isTrue();
    }
  }

  /** Writes have room for a while then, but compactions have none. */
  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void refusesWritesOnADiskThatIsNearlyFullAndGoesOnOnceThereIsRoom() throws Exception {
    Path folder = fresh("nearly-full-disk");
    try (VarveProcess server = onSmallDisk(folder)) {
      for (int i = 0; i < SERIES_WITH_ROOM; i++) {
        HttpResponse<String> answer = putInTime(server, i);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
      }
      Path disk = server.seen(folder.resolve("data"));
      Path ballast = disk.resolve("ballast");
      long free = Files.getFileStore(disk).getUsableSpace();
      Files.write(ballast, new byte[Math.toIntExact(free - (2 << 20))]);
      int written = writeUntilRefused(server, SERIES_WITH_ROOM);

      Files.delete(ballast);
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> put(server, written).statusCode() == 204);
    }
  }

  /** Starts a server whose data is on a disk of 32 MB that only it sees. */
  private static VarveProcess onSmallDisk(Path folder) throws IOException {
    Files.createDirectory(folder.resolve("data"));
    VarveProcess server = VarveProcess.in(folder, "memory: 8MB\n" + config("buckets"));
    server.launch(
        "unshare",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        "mount -t tmpfs -o size=32m none " + folder.resolve("data") + " && exec \"$@\"",
        "sh");
    server.awaitReady();
    return server;
  }

  /**
   * Writes series after series until one is refused for lack of space.
   *
   * @return the number of that series
   */
  private static int writeUntilRefused(VarveProcess server, int first) throws IOException {
    int written = first;
    HttpResponse<String> answer = putInTime(server, written);
    while (answer.statusCode() == 204 && written < 5_000) {
      answer = putInTime(server, ++written);
    }
    assertThat(answer.statusCode()).as(answer.body() + server.shownLog()).isEqualTo(503);
    assertThat(answer.body()).containsPattern(LACK_OF_SPACE).doesNotContain("\tat ");
    return written;
  }

  private static final Pattern LACK_OF_SPACE = Pattern.compile("(?i)space|are free in");

  /** As many as certainly fit on the disk. */
  private static final int SERIES_WITH_ROOM = 300;

  private static final int POINTS = 2_000;

  /** Writes one series, again for as long as a slow server has no time for it. */
  private static HttpResponse<String> putInTime(VarveProcess server, int series)
      throws IOException {
    Instant end = Instant.now().plusSeconds(30);
    HttpResponse<String> answer = put(server, series);
    while (answer.statusCode() == 503
        && !LACK_OF_SPACE.matcher(answer.body()).find()
        && Instant.now().isBefore(end)) {
      VarveProcess.sleep(200);
      answer = put(server, series);
    }
    return answer;
  }

  /** Writes points of one series with incompressible values. */
  private static HttpResponse<String> put(VarveProcess server, int series) throws IOException {
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < POINTS; i++) {
      points
          .append(i == 0 ? "[[" : ",[")
          .append(i + 1)
          .append(',')
          .append(i == 0 ? 0 : 0x9E3779B97F4A7C15L * (i + 31L * series))
          .append(']');
    }
    return server.post(
        "/datasets/d/api/v1/datapoints",
        "{\"name\":\"m\",\"tags\":{\"series\":\"%d\"},\"datapoints\":%s]}"
            .formatted(series, points));
  }
}
