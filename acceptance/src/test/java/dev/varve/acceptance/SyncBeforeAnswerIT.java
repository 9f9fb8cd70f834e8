package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * A trace of the server's system calls proves for every successful request that a sync of the log
 * with the request's data ended before the answer was sent.
 */
class SyncBeforeAnswerIT {
  private static final List<String> DATASETS =
      List.of("buckets", "blocks", "heroic", "kairosdb", "opentsdb");
  private static final int REQUESTS_EACH = 5;

  private final Path folder = Checkout.fresh("sync-before-answer");

  @Test
  void syncsTheLogBeforeItAnswers() throws Exception {
    Checkout.program("strace", "strace");
    assertTracingIsAllowed();
    Path file = folder.resolve("trace");
    Map<String, String> markers = new TreeMap<>();
    String config =
        "data: data\nlisten: [{port: PORT}]\ndatasets:\n"
            + String.join(
                "", DATASETS.stream().map(d -> "  %s: {layout: %s}%n".formatted(d, d)).toList());
    try (VarveProcess server = VarveProcess.in(folder, config)) {
      server.launch(SystemCallTrace.command(file));
      server.awaitReady();
      for (int i = 0; i < REQUESTS_EACH; i++) {
        for (String dataset : DATASETS) {
          markers.put(write(server, dataset, i), dataset);
        }
      }
      assertThat(server.stop())
          .as("exit code" + server.shownLog())
          .isIn(0, VarveProcess.TERMINATED);
    }
    SystemCallTrace trace = SystemCallTrace.parse(Files.readAllLines(file));
    markers.forEach((marker, dataset) ->
        assertThat(trace.verdict(marker))
            .as("request %s to %s, trace in %s", marker, dataset, file)
            .isEqualTo("synced before it was answered"));
  }

  /** Writes a point with a unique marker and returns the marker. */
  private static String write(VarveProcess server, String dataset, int number) throws IOException {
    String marker = "marker" + UUID.randomUUID().toString().replace("-", "");
    boolean overKairosDb = number % 2 == 0;
    int status =
        overKairosDb
            ? server
                .post(
                    "/datasets/" + dataset + "/api/v1/datapoints?" + marker,
                    "{\"name\":\"%s\",\"tags\":{\"a\":\"b\"},\"datapoints\":[[1700000000000,1.5]]}"
                        .formatted(marker))
                .statusCode()
            : server
                .post(
                    "/datasets/" + dataset + "/varve/v1/points?" + marker,
                    "{\"metric\":\"%s\",\"tags\":{\"a\":\"b\"},\"time\":1700000000000,\"value\":1.5}"
                        .formatted(marker))
                .statusCode();
    assertThat(status).as(dataset + server.shownLog()).isEqualTo(overKairosDb ? 204 : 200);
    return marker;
  }

  private void assertTracingIsAllowed() throws IOException, InterruptedException {
    Checkout.Outcome outcome =
        Checkout.run(
            new ProcessBuilder(
                "strace",
                "-f",
                "--seccomp-bpf",
                "-e",
                "trace=write",
                "-o",
                folder.resolve("probe").toString(),
                "true"));
    if (outcome.exitCode() != 0) {
      throw new AssertionError(
          "strace may not trace here, so that nobody can see whether a sync comes before an answer."
              + " In a container, --cap-add=SYS_PTRACE --security-opt seccomp=unconfined permits it;"
              + " on a host, sudo sysctl kernel.yama.ptrace_scope=0.\n"
              + outcome);
    }
  }
}
