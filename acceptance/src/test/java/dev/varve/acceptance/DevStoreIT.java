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
import org.junit.jupiter.api.Test;

/**
 * What somebody does who tries Varve on a real store: start one, start the server that it names,
 * end it.
 */
class DevStoreIT {
  private static final String CONFIG = "varve-dev/bigtable/varve.yaml";

  private final Path folder = Checkout.fresh("dev-store");
  private final Path out = folder.resolve("stdout");
  private final Path err = folder.resolve("stderr");

  @Test
  void startsBigtableForAServerAndEndsIt() throws Exception {
    Process store =
        Checkout.varve(folder, "dev-store", "bigtable")
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      awaitLineToTry(store);
      assertThat(Checkout.read(err))
          .contains("starting bigtable in varve-dev/bigtable")
          .contains("bigtable runs until Ctrl-C");
      assertThat(Checkout.read(out).lines())
          .contains("project: dev", "instance: dev")
          .anyMatch(line -> line.matches("emulator: 127\\.0\\.0\\.1:\\d+"));
      writeAndRead();
      assertThat(store.isAlive()).isTrue();
      assertEnds(store);
    } finally {
      store.descendants().forEach(ProcessHandle::destroyForcibly);
      store.destroyForcibly();
    }
  }

  private void awaitLineToTry(Process store) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> !store.isAlive() || Checkout.read(err).contains(CONFIG + "\n"));
    assertThat(Checkout.read(err)).contains("  ./varve serve --config " + CONFIG);
  }

  /** A server with the configuration that was written, but for its port. */
  private void writeAndRead() throws Exception {
    String config = Files.readString(folder.resolve(CONFIG));
    assertThat(config).contains("kind: bigtable");
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

  /** Asked to end, as by Ctrl-C, it takes the store with it. */
  private static void assertEnds(Process store) throws InterruptedException {
    List<ProcessHandle> started = store.descendants().toList();
    assertThat(started).as("the emulator").isNotEmpty();
    store.destroy();
    assertThat(store.waitFor(30, TimeUnit.SECONDS)).as("ended on SIGTERM").isTrue();
    assertThat(store.exitValue()).isIn(0, VarveProcess.TERMINATED);
    assertThat(started).noneMatch(ProcessHandle::isAlive);
  }
}
