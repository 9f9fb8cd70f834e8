package dev.varve.acceptance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The source tree under test, and commands that run in it. */
final class Checkout {
  private static final Duration COMMAND_MAX = Duration.ofMinutes(2);

  private Checkout() {}

  /** The outcome of a command. */
  record Outcome(List<String> command, int exitCode, String out, String err) {
    /**
     * Returns the output of the command.
     *
     * @throws AssertionError unless its exit code is 0
     */
    String success() {
      if (exitCode != 0) {
        throw new AssertionError(this);
      }
      return out;
    }

    @Override
    public String toString() {
      return "%s%nended with %d%n-- stdout%n%s%n-- stderr%n%s"
          .formatted(String.join(" ", command), exitCode, out, err);
    }
  }

  /** Returns the folder that contains the launcher. */
  static Path root() {
    for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
      if (Files.isExecutable(folder.resolve("varve")) && Files.exists(folder.resolve("mvnw"))) {
        return folder;
      }
    }
    throw new AssertionError("no folder above " + Path.of("").toAbsolutePath() + " is a checkout");
  }

  /** Returns an empty folder for a test, under {@code target}. */
  static Path fresh(String name) {
    Path folder = Path.of("target", "acceptance", name).toAbsolutePath();
    delete(folder);
    try {
      return Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted(Comparator.reverseOrder())
          .forEach(path -> {
            try {
              Files.delete(path);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the command {@code varve ARGUMENTS} of the existing build. */
  static ProcessBuilder varve(Path folder, String... arguments) {
    List<String> command = new ArrayList<>(List.of(root().resolve("varve").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("VARVE_"));
    // Maven has built the program under test; a rehearsal beside the test would take time.
    builder.environment().put("VARVE_BUILD", "off");
    builder.environment().put("VARVE_AOT", "off");
    builder.environment().put("VARVE_HEAP", "512m");
    // Commands are short: the second compiler would cost more time than it saves.
    builder.environment().put("VARVE_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
    return builder;
  }

  /** Runs a command of Varve and waits for its end. */
  static Outcome run(Path folder, String... arguments) throws IOException, InterruptedException {
    return run(varve(folder, arguments));
  }

  /** Runs any command and waits up to two minutes for its end. */
  static Outcome run(ProcessBuilder command) throws IOException, InterruptedException {
    return run(command, COMMAND_MAX);
  }

  /** Runs any command and waits for its end, at most for a time. */
  static Outcome run(ProcessBuilder command, Duration atMost)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile("varve", ".out");
    Path err = Files.createTempFile("varve", ".err");
    try {
      Process process = command.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      process.getOutputStream().close();
      if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
        throw new AssertionError(
            command.command() + " did not end within " + atMost + ": " + read(err));
      }
      return new Outcome(command.command(), process.exitValue(), read(out), read(err));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }

  static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the path of a program.
   *
   * @throws AssertionError with the command that installs it if it is missing
   */
  static Path program(String name, String debianPackages) {
    for (String folder : List.of("/usr/sbin", "/usr/bin", "/usr/local/bin", "/bin")) {
      Path program = Path.of(folder, name);
      if (Files.isExecutable(program)) {
        return program;
      }
    }
    throw new AssertionError(
        name
            + " is missing. Install it with: sudo apt-get install --no-install-recommends "
            + debianPackages
            + "  (or run .ci/run, which does)");
  }
}
