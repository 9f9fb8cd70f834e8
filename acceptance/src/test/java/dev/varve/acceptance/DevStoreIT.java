package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tries Varve on a real store as a user does: starts the store, starts the server that it names,
 * stops it.
 */
@SuppressWarnings("NullAway.Init") // Folders are those of the kind that is tried.
class DevStoreIT {
  private Path folder;
  private Path out;
  private Path err;

  /**
   * @param option one of the options that it prints for a server
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bigtable | emulator: 127\\.0\\.0\\.1:\\d+",
        "hbase | quorum: 127\\.0\\.0\\.1",
        "cassandra | contact-points: 127\\.0\\.0\\.1"
      })
  void startsAStoreForAServerAndEndsIt(String kind, String option) throws Exception {
    folder = Checkout.fresh("dev-store-" + kind);
    out = folder.resolve("stdout");
    err = folder.resolve("stderr");
    Process store =
        Checkout.varve(folder, "dev-store", kind)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      awaitLineToTry(store, kind);
      assertThat(Checkout.read(err))
          .contains("starting " + kind + " in varve-dev/" + kind)
          .contains(kind + " runs until Ctrl-C");
      assertThat(Checkout.read(out).lines()).anyMatch(line -> line.matches(option));
      writeAndRead(kind);
      assertThat(store.isAlive()).isTrue();
      assertEnds(store);
    } finally {
      store.descendants().forEach(ProcessHandle::destroyForcibly);
      store.destroyForcibly();
    }
  }

  private static String config(String kind) {
    return "varve-dev/" + kind + "/varve.yaml";
  }

  private void awaitLineToTry(Process store, String kind) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> !store.isAlive() || Checkout.read(err).contains(config(kind) + "\n"));
    assertThat(Checkout.read(err)).contains("  ./varve serve --config " + config(kind));
  }

  /** Starts a server with the written configuration, on another port. */
  private void writeAndRead(String kind) throws Exception {
    String config = Files.readString(folder.resolve(config(kind)));
    assertThat(config).contains("kind: " + kind);
    Path place = Files.createDirectory(folder.resolve("server"));
    try (VarveProcess server =
        VarveProcess.in(place, config + "listen: [{port: PORT}]\n").start()) {
      String point =
          "{\"name\":\"m\",\"tags\":{\"host\":\"a\"},\"datapoints\":[[1700000000000,1.5]]}";
      assertThat(server.post("/datasets/default/api/v1/datapoints", point).statusCode())
          .as("%s", server.shownLog())
          .isEqualTo(204);
      assertThat(
              KairosQuery.all(
                  server, "default", List.of(new KairosQuery.Wanted("m", Map.of("host", "a")))))
          .containsExactly(new TreeMap<>(Map.of(1_700_000_000_000L, new BigDecimal("1.5"))));
      assertThat(server.stop()).isIn(0, VarveProcess.TERMINATED);
    }
  }

  /** Checks that the command ends the store when it is stopped, as by Ctrl-C. */
  private static void assertEnds(Process store) throws InterruptedException {
    List<ProcessHandle> started = store.descendants().toList();
    assertThat(started).as("the store").isNotEmpty();
    store.destroy();
    assertThat(store.waitFor(30, TimeUnit.SECONDS)).as("ended on SIGTERM").isTrue();
    assertThat(store.exitValue()).isIn(0, VarveProcess.TERMINATED);
    assertThat(started).noneMatch(ProcessHandle::isAlive);
  }
}
