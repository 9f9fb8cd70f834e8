package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The first steps of a newcomer, in a fresh copy of the sources with nothing built: every command
 * of README.md in order, the line that the server suggests, and a second start.
 */
class FirstMinuteIT {
  /** Runs this test, among others. */
  private static final String WHOLE_BUILD = "./mvnw verify";

  private static final Pattern LINE_TO_TRY = Pattern.compile("(?m)^ +(\\./varve query .*)$");
  private static final FileTime CHANGED = FileTime.from(Instant.parse("2026-01-02T03:04:05Z"));
  private static final Duration BUILD_MAX = Duration.ofMinutes(8);

  private final Path folder = Checkout.fresh("first-minute");
  private final Path checkout = folder.resolve("varve");

  /** Free ports that replace those of README.md. */
  private final int port = VarveProcess.freePort();

  private final int secondPort = VarveProcess.freePort();
  private final List<Running> running = new ArrayList<>();

  /** A running command that must be stopped. */
  private record Running(String command, Process process, Path out, Path err) {
    boolean said(Pattern line) {
      return line.matcher(Checkout.read(err)).find();
    }

    @Override
    public String toString() {
      return "%s%nstdout: %s%nstderr: %s"
          .formatted(command, Checkout.read(out), Checkout.read(err));
    }
  }

  @Test
  void everyCommandOfTheReadmeWorks() throws Exception {
    copySources();
    List<String> commands = commands(Files.readString(checkout.resolve("README.md")));
    assertThat(commands).contains("./varve serve", "./varve dev-store cassandra", WHOLE_BUILD);
    commands.remove(WHOLE_BUILD);
    for (String command : commands) {
      if (command.startsWith("./varve serve") || command.startsWith("./varve dev-store")) {
        start(command);
      } else {
        assertAnswers(command);
      }
    }
    Running server = running.getFirst();
    assertThat(Checkout.read(server.err())).contains("building").doesNotContain("Exception");
    assertAnswers(lineToTry(server));
    stopAll();
    assertSameJars();

    Running again = start("./varve serve");
    assertThat(Checkout.read(again.err())).doesNotContain("building");
    String before =
        shell("./varve query 'jvm_memory_used_bytes' --from 1h --to 1s --output csv").success();
    assertThat(before.lines()).as("what was there before the restart").hasSizeGreaterThan(1);
    stopAll();
  }

  /**
   * A build in another folder, from sources of another age and with other options of Maven, gives
   * the same jars as the build under test: all that are ours in a distribution, and those of the
   * plug-ins that the commands needed.
   */
  private void assertSameJars() throws IOException {
    List<Path> own = ownJars(checkout);
    assertThat(own)
        .contains(Path.of("cli/target/lib/varve.jar"))
        .anyMatch(jar -> jar.toString().contains("/plugin/cassandra/"))
        .hasSizeGreaterThan(10);
    assertThat(ownJars(Checkout.root())).containsAll(own);
    for (Path jar : own) {
      assertThat(Files.mismatch(Checkout.root().resolve(jar), checkout.resolve(jar)))
          .as("first byte in which builds of %s differ", jar)
          .isEqualTo(-1);
    }
  }

  private static List<Path> ownJars(Path tree) throws IOException {
    List<Path> jars = new ArrayList<>();
    for (String folder :
        List.of(
            "cli/target/lib",
            "stores/bigtable/target/plugin",
            "stores/hbase/target/plugin",
            "stores/cassandra/target/plugin")) {
      if (Files.isDirectory(tree.resolve(folder))) {
        try (Stream<Path> files = Files.walk(tree.resolve(folder))) {
          files
              .filter(file -> String.valueOf(file.getFileName()).matches("varve.*\\.jar"))
              .map(tree::relativize)
              .forEach(jars::add);
        }
      }
    }
    return jars;
  }

  /** Returns the lines of code blocks, which are indented by four blanks after an empty line. */
  private static List<String> commands(String readme) {
    List<String> commands = new ArrayList<>();
    boolean isBlock = false;
    String before = "";
    for (String line : readme.lines().toList()) {
      isBlock = line.startsWith("    ") && (isBlock || before.isBlank());
      if (isBlock) {
        commands.add(line.strip());
      }
      before = line;
    }
    return commands;
  }

  private String here(String command) {
    return command
        .replace("127.0.0.1:4242", "127.0.0.1:" + port)
        .replace("127.0.0.1:4243", "127.0.0.1:" + secondPort);
  }

  /** Copies every file that is in the repository or could be added to it. */
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
        Files.setLastModifiedTime(target, CHANGED);
      }
    }
  }

  private ProcessBuilder builder(String command) {
    // exec makes the signal reach the command instead of the shell.
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).directory(checkout.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("VARVE_"));
    return builder;
  }

  /**
   * Starts a command that runs until it is stopped, and waits for its suggestion of what to try.
   */
  private Running start(String command) throws IOException {
    Path out = folder.resolve("stdout-" + running.size());
    Path err = folder.resolve("stderr-" + running.size());
    ProcessBuilder builder = builder("exec " + here(command));
    if (!command.contains("--listen")) {
      builder.environment().put("VARVE_LISTEN", "[{host: 127.0.0.1, port: %d}]".formatted(port));
    }
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    Running started = new Running(command, process, out, err);
    running.add(started);
    Pattern ready =
        Pattern.compile(
            command.startsWith("./varve serve") ? "Varve listens" : "runs until Ctrl-C");
    Awaitility.await(command)
        .atMost(BUILD_MAX)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> !process.isAlive() || started.said(ready));
    assertThat(started.said(ready)).as("%s", started).isTrue();
    return started;
  }

  private static String lineToTry(Running server) {
    Matcher line = LINE_TO_TRY.matcher(Checkout.read(server.err()));
    assertThat(line.find()).as("a line to try: %s", server).isTrue();
    return line.group(1);
  }

  /**
   * Runs a command until it gives an answer: the server's first metrics come some seconds after its
   * start.
   */
  private void assertAnswers(String command) throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    Checkout.Outcome shown = shell(command);
    while (isEmpty(shown) && System.nanoTime() < end) {
      VarveProcess.sleep(500);
      shown = shell(command);
    }
    assertThat(isEmpty(shown)).as("%s", shown).isFalse();
  }

  /** Returns whether the answer is empty: only the head of a table, or no PromQL result. */
  private static boolean isEmpty(Checkout.Outcome shown) {
    String out = shown.success();
    return (out.lines().count() < 2 && !out.startsWith("{")) || out.contains("\"result\":[]");
  }

  private Checkout.Outcome shell(String command) throws IOException, InterruptedException {
    return Checkout.run(builder(here(command)));
  }

  /** Stops the running commands as a person or a service manager would, the last one first. */
  private void stopAll() throws InterruptedException {
    for (Running one : running.reversed()) {
      one.process().destroy();
      assertThat(one.process().waitFor(30, TimeUnit.SECONDS))
          .as("stopped on SIGTERM: %s", one)
          .isTrue();
      assertThat(one.process().exitValue()).as("%s", one).isIn(0, VarveProcess.TERMINATED);
    }
    running.clear();
  }

  @AfterEach
  void killWhatIsLeft() {
    for (Running one : running) {
      one.process().descendants().forEach(ProcessHandle::destroyForcibly);
      one.process().destroyForcibly();
    }
  }
}
