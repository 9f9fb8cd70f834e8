package dev.varve.acceptance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The source tree under test, and commands that run in it. */
final class Checkout {
  private static final long COMMAND_SECONDS_MAX = 120;

  private Checkout() {}

  /** What a command left behind. */
  record Outcome(List<String> command, int exitCode, String out, String err) {
    /** Fails unless the command ended with 0; returns what it printed. */
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

  /** The folder that holds the launcher. */
  static Path root() {
    for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
      if (Files.isExecutable(folder.resolve("varve")) && Files.exists(folder.resolve("mvnw"))) {
        return folder;
      }
    }
    throw new AssertionError("no folder above " + Path.of("").toAbsolutePath() + " is a checkout");
  }

  /** An empty folder for a test, under {@code target}. */
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

  /** The command line {@code varve ARGUMENTS} of the build that is there. */
  static ProcessBuilder varve(Path folder, String... arguments) {
    List<String> command = new ArrayList<>(List.of(root().resolve("varve").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("VARVE_"));
    // The build under test is the one that Maven made; a rehearsal beside it would take its time.
    builder.environment().put("VARVE_BUILD", "off");
    builder.environment().put("VARVE_AOT", "off");
    builder.environment().put("VARVE_HEAP", "512m");
    // None of them runs for long: what the second compiler makes of it takes more than it gives.
    builder.environment().put("VARVE_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
    return builder;
  }

  /** Runs a command of Varve to its end. */
  static Outcome run(Path folder, String... arguments) throws IOException, InterruptedException {
    return run(varve(folder, arguments));
  }

  /** Runs any command to its end, which is awaited for two minutes. */
  static Outcome run(ProcessBuilder command) throws IOException, InterruptedException {
    Path out = Files.createTempFile("varve", ".out");
    Path err = Files.createTempFile("varve", ".err");
    try {
      Process process = command.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      process.getOutputStream().close();
      if (!process.waitFor(COMMAND_SECONDS_MAX, TimeUnit.SECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
        throw new AssertionError(
            command.command() + " did not end within " + COMMAND_SECONDS_MAX + " s: " + read(err));
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

  /** Fails with the line that installs a program, unless it is there. */
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
