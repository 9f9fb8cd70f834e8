package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * What a newcomer does in the first minute, in a fresh copy of the sources: start the server, read
 * what it prints, try the line that it offers, stop it, start it again.
 */
class FirstMinuteIT {
  private static final Pattern LINE_TO_TRY = Pattern.compile("(?m)^ +(\\./varve query .*)$");
  private static final Duration BUILD_MAX = Duration.ofMinutes(8);

  private final Path folder = Checkout.fresh("first-minute");
  private final Path checkout = folder.resolve("varve");
  private final Path out = folder.resolve("stdout");
  private final Path err = folder.resolve("stderr");
  private final String place = "127.0.0.1:" + VarveProcess.freePort();

  @Test
  void startsFromTheSourcesAndHoldsItsOwnMetricsTenSecondsLater() throws Exception {
    copySources();
    Process server = serve();
    String tried;
    try {
      tried = awaitLineToTry(server, BUILD_MAX);
      assertThat(Checkout.read(err)).contains("building");
      VarveProcess.sleep(10_000);
      Checkout.Outcome shown = shell(tried);
      assertThat(shown.success().lines()).as(shown.toString()).hasSizeGreaterThan(1);
      assertThat(shown.out()).contains("jvm_");
    } finally {
      stop(server);
    }
    assertThat(Checkout.read(err)).doesNotContain("Exception");

    server = serve();
    try {
      awaitLineToTry(server, Duration.ofMinutes(2));
      assertThat(Checkout.read(err)).doesNotContain("building");
      String before =
          shell("./varve query 'jvm_memory_used_bytes' --from 1h --to 1s --output csv").success();
      assertThat(before.lines()).as("what was there before the restart").hasSizeGreaterThan(1);
    } finally {
      stop(server);
    }
  }

  /** Every file that is in the repository or could be added to it. */
  private void copySources() throws IOException, InterruptedException {
    String files =
        Checkout.run(
                new ProcessBuilder("git", "ls-files", "-co", "--exclude-standard")
                    .directory(Checkout.root().toFile()))
            .success();
    for (String file : files.lines().toList()) {
      Path source = Checkout.root().resolve(file);
      if (Files.isRegularFile(source)) {
        Path target = checkout.resolve(file);
        Files.createDirectories(target.getParent());
        Files.copy(source, target, StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  private Process serve() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("./varve", "serve", "--listen", place).directory(checkout.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("VARVE_"));
    return builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
  }

  private String awaitLineToTry(Process server, Duration atMost) {
    Awaitility.await()
        .atMost(atMost)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> !server.isAlive() || LINE_TO_TRY.matcher(Checkout.read(err)).find());
    Matcher line = LINE_TO_TRY.matcher(Checkout.read(err));
    assertThat(line.find())
        .as("a line to try%nstdout: %s%nstderr: %s", Checkout.read(out), Checkout.read(err))
        .isTrue();
    assertThat(Checkout.read(out)).as("where it listens").contains("http://" + place);
    return line.group(1);
  }

  private Checkout.Outcome shell(String line) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", line).directory(checkout.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("VARVE_"));
    return Checkout.run(builder);
  }

  /** Stops it as a person or a service manager would. */
  private static void stop(Process server) throws InterruptedException {
    server.destroy();
    try {
      assertThat(server.waitFor(30, TimeUnit.SECONDS)).as("stopped on SIGTERM").isTrue();
      assertThat(server.exitValue()).isIn(0, VarveProcess.TERMINATED);
    } finally {
      server.descendants().forEach(ProcessHandle::destroyForcibly);
      server.destroyForcibly();
    }
  }
}
