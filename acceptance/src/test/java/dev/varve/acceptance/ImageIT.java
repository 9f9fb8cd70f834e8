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
 * The image runs by another user than root, on a tree that cannot be written, and with 512 MB.
 *
 * <p>Docker or Podman build and run it if one of them works on this machine. Otherwise its root
 * file system is assembled by the same script and runs as a container would run it, without code in
 * the folder for temporary files, in a control group of either generation. Without root, the tree
 * is protected by its permissions alone, and there is no control group; the output says so.
 */
class ImageIT {
  private static final boolean IS_ROOT = System.getProperty("user.name", "").equals("root");
  private static final long LIMIT = 512L << 20;

  private static final Path GROUPS = Path.of("/sys/fs/cgroup");

  /** Bases are fetched, and Java's modules are linked. */
  private static final Duration BUILD_MAX = Duration.ofMinutes(8);

  private final Path folder = Checkout.fresh("image");
  private final Path root = folder.resolve("root");
  private final int port = Ports.free();
  private final String name = "varve-test-" + port;
  private final @Nullable String builder = builder();
  private @Nullable Path group;
  private final HttpClient client = HttpClient.newHttpClient();
  private @Nullable Process server;

  @Test
  void runsShutIn() throws Exception {
    if (builder == null) {
      Distribution.assemble(root);
      group = newGroup();
    } else {
      build(builder);
    }
    Process started =
        new ProcessBuilder(builder == null ? serveAssembled() : serveImage(builder))
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
    if (builder != null || group != null) {
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

  /** Returns the program that builds and runs images on this machine; null if none works. */
  private static @Nullable String builder() {
    for (String program : List.of("docker", "podman")) {
      try {
        if (Checkout.run(new ProcessBuilder(program, "info")).exitCode() == 0) {
          return program;
        }
      } catch (IOException e) {
        // It is not on the path.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
    return null;
  }

  /** Builds the image as the page on installing says. */
  private void build(String builder) throws IOException, InterruptedException {
    Path archive = Distribution.archive();
    Files.copy(archive, folder.resolve(archive.getFileName()));
    Checkout.run(new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", folder.toString()))
        .success();
    String version = archive.getFileName().toString().replace(".tar.gz", "");
    List<String> build =
        List.of(
            builder,
            "build",
            "-f",
            version + "/image/Dockerfile",
            "--build-arg",
            "DISTRIBUTION=" + archive.getFileName(),
            "-t",
            name,
            ".");
    Checkout.run(new ProcessBuilder(build).directory(folder.toFile()), BUILD_MAX).success();
  }

  private List<String> serveImage(String builder) {
    String options =
        "--rm --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges --memory 512m"
            + " -e VARVE_ALLOW__ANONYMOUS=true -e VARVE_LOG__FORMAT=json";
    List<String> command = new ArrayList<>(List.of(builder, "run", "--name", name));
    command.addAll(List.of(options.split(" ")));
    command.addAll(List.of("-p", "127.0.0.1:" + port + ":4242", name));
    return command;
  }

  private List<String> serveAssembled() {
    return enclosed(
        group == null ? "" : group.toString(),
        "serve",
        "--config",
        "/etc/varve/varve.yaml",
        "--listen",
        "127.0.0.1:" + port,
        "--set",
        "log-format=json");
  }

  /** Runs the image's health check. */
  private int health() throws IOException, InterruptedException {
    List<String> ready = List.of("ready", "--config", "/etc/varve/varve.yaml");
    List<String> command = new ArrayList<>();
    if (builder == null) {
      command.addAll(enclosed("", ready.toArray(new String[0])));
    } else {
      command.addAll(List.of(builder, "exec", name, "/opt/varve/bin/varve"));
      command.addAll(ready);
    }
    return Checkout.run(new ProcessBuilder(command)).exitCode();
  }

  private List<String> enclosed(String cgroup, String... arguments) {
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

  /** Makes a control group with the limit; says why, and returns null, where that is impossible. */
  private @Nullable Path newGroup() {
    if (!IS_ROOT) {
      System.out.println("ImageIT: no limit of memory is checked, because only root may set one");
      return null;
    }
    boolean first = Files.exists(GROUPS.resolve("memory/memory.limit_in_bytes"));
    Path made = (first ? GROUPS.resolve("memory") : GROUPS).resolve(name);
    try {
      if (!first) {
        Files.writeString(GROUPS.resolve("cgroup.subtree_control"), "+memory");
      }
      Files.createDirectory(made);
      String key = first ? "memory.limit_in_bytes" : "memory.max";
      Files.writeString(made.resolve(key), Long.toString(LIMIT));
      return made;
    } catch (IOException e) {
      System.out.println("ImageIT: no limit of memory is checked, because " + e);
      return null;
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
    if (group != null) {
      Files.deleteIfExists(group);
    }
    if (builder != null) {
      Checkout.run(new ProcessBuilder(builder, "rm", "--force", name));
      Checkout.run(new ProcessBuilder(builder, "rmi", "--force", name));
    }
  }
}
