package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.devstores.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The root file system of the image runs as a container would run it: by another user than root, on
 * a tree that cannot be written, without code in the folder for temporary files, and in a control
 * group with 512 MB. Without root, the tree is protected by its permissions alone, and there is no
 * control group.
 */
class ImageIT {
  private static final boolean IS_ROOT = System.getProperty("user.name", "").equals("root");
  private static final long LIMIT = 512L << 20;

  /** The control groups of memory, of both generations. */
  private static final List<Path> GROUPS =
      List.of(Path.of("/sys/fs/cgroup/memory"), Path.of("/sys/fs/cgroup"));

  private final Path folder = Checkout.fresh("image");
  private final Path root = folder.resolve("root");
  private final int port = Ports.free();
  private final Path group = GROUPS.getFirst().resolve("varve-test-" + port);
  private final HttpClient client = HttpClient.newHttpClient();
  private @Nullable Process server;

  @Test
  void runsShutIn() throws Exception {
    Distribution.assemble(root);
    String limited = joinGroup();
    Process started =
        new ProcessBuilder(
                command(
                    limited,
                    "serve",
                    "--config",
                    "/etc/varve/varve.yaml",
                    "--listen",
                    "127.0.0.1:" + port,
                    "--set",
                    "log-format=json"))
            .redirectOutput(folder.resolve("out").toFile())
            .redirectError(folder.resolve("err").toFile())
            .start();
    server = started;
    Awaitility.await("the server in %s".formatted(folder))
        .atMost(Duration.ofSeconds(60))
        .until(() -> !started.isAlive() || health() == 0);
    assertThat(started.isAlive()).as(Checkout.read(folder.resolve("err"))).isTrue();

    long now = System.currentTimeMillis();
    for (int i = 0; i < 20; i++) {
      String body =
          "{\"metric\":\"m\",\"tags\":{\"host\":\"a\"},\"timestamp\":%d,\"value\":%d}"
              .formatted(now - i, i);
      assertThat(send("/api/put?sync", body).statusCode()).isEqualTo(204);
    }
    assertThat(send("/api/v1/query?query=m", null).body()).contains("\"0\"]");
    String metrics = send("/metrics", null).body();
    if (!limited.isEmpty()) {
      assertThat(figure(metrics, "jvm_memory_max_bytes{area=\"heap\"}"))
          .isLessThanOrEqualTo(LIMIT / 4.0);
      assertThat(figure(metrics, "varve_store_block_cache_max_bytes{store=\"rocksdb\"}"))
          .isLessThanOrEqualTo(LIMIT / 8.0);
    }
    started.destroy();
    assertThat(started.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(started.exitValue()).isEqualTo(VarveProcess.TERMINATED);
    assertThat(health()).isEqualTo(1);
    List<String> log = Files.readAllLines(folder.resolve("err"));
    assertThat(log).isNotEmpty();
    for (String line : log) {
      assertThat(Json.object(line)).containsKeys("time", "level", "logger", "message");
    }
    assertThat(log.getLast()).contains("stopping");
  }

  /** Runs the image's health check. */
  private int health() throws IOException, InterruptedException {
    return Checkout.run(
            new ProcessBuilder(command("", "ready", "--config", "/etc/varve/varve.yaml")))
        .exitCode();
  }

  private List<String> command(String cgroup, String... arguments) {
    List<String> command = new ArrayList<>();
    if (IS_ROOT) {
      String enclose = Checkout.root().resolve("acceptance/src/test/sh/enclose").toString();
      command.addAll(List.of("unshare", "--mount", enclose, root.toString(), cgroup));
      command.add("/opt/varve/bin/varve");
    } else {
      command.addAll(List.of("env", "VARVE_AOT=off"));
      command.add("VARVE_DATA=" + root.resolve("var/lib/varve"));
      command.add("VARVE_JAVA_HOME=" + root.resolve("opt/varve/jre"));
      command.add(root.resolve("opt/varve/bin/varve").toString());
    }
    for (String argument : arguments) {
      command.add(!IS_ROOT && argument.startsWith("/etc") ? root + argument : argument);
    }
    return command;
  }

  /** Makes a control group with the limit; returns an empty text where that is not possible. */
  private String joinGroup() {
    if (!IS_ROOT || !Files.isWritable(GROUPS.getFirst())) {
      return "";
    }
    try {
      Files.createDirectory(group);
      Files.writeString(group.resolve("memory.limit_in_bytes"), Long.toString(LIMIT));
      return group.toString();
    } catch (IOException e) {
      return "";
    }
  }

  private HttpResponse<String> send(String path, @Nullable String body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    if (body != null) {
      request.POST(HttpRequest.BodyPublishers.ofString(body));
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static double figure(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  @AfterEach
  void end() throws IOException, InterruptedException {
    if (server != null) {
      server.destroyForcibly().waitFor();
    }
    Files.deleteIfExists(group);
  }
}
