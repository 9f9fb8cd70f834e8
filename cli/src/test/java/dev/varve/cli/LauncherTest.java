package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how {@code ./varve} chooses a Java. Its JDKs are folders with a version and an echo. */
class LauncherTest {
  private static final Path LAUNCHER = Path.of("..", "varve").toAbsolutePath().normalize();

  @TempDir private Path folder;

  private record Outcome(int exitCode, String out, String err) {}

  @ParameterizedTest
  @CsvSource({"25", "25-ea", "25.0.1", "25.0.2"})
  void aJdkThatMovesPinnedArraysIsRefusedWithTheReason(String version) throws Exception {
    Outcome outcome = varve(Map.of("VARVE_JAVA_HOME", jdk(version).toString()));
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.err())
        .contains("is Java " + version + ":", "JDK-8377811", "use 25.0.3 or newer");
    assertThat(outcome.out()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"17.0.12", "24.0.2", "26"})
  void anotherJavaIsRefusedByItsVersion(String version) throws Exception {
    Outcome outcome = varve(Map.of("VARVE_JAVA_HOME", jdk(version).toString()));
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.err()).contains("is not a JDK 25 but Java " + version);
  }

  @ParameterizedTest
  @CsvSource({"25.0.3", "25.0.10", "25.1"})
  void laterUpdatesRun(String version) throws Exception {
    Outcome outcome = varve(Map.of("VARVE_JAVA_HOME", jdk(version).toString()));
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.out()).contains("ran Java " + version);
  }

  @Test
  void anUnsafeJavaHomeIsSkippedForASafeOneOnThePath() throws Exception {
    Outcome outcome =
        varve(
            Map.of(
                "JAVA_HOME",
                jdk("25.0.1").toString(),
                "PATH",
                jdk("25.0.4").resolve("bin") + ":" + System.getenv("PATH")));
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.out()).contains("ran Java 25.0.4");
  }

  /** A folder that looks like a JDK; its java prints its version. */
  private Path jdk(String version) throws IOException {
    Path home = folder.resolve("jdk-" + version);
    Files.createDirectories(home.resolve("bin"));
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    for (String program : new String[] {"java", "javac"}) {
      Path file =
          Files.writeString(
              home.resolve("bin").resolve(program), "#!/bin/sh\necho ran Java " + version + "\n");
      assertThat(file.toFile().setExecutable(true)).isTrue();
    }
    return home;
  }

  /** Runs the launcher as in an unpacked distribution, so that nothing is built. */
  private Outcome varve(Map<String, String> environment) throws Exception {
    Path distribution = folder.resolve("dist");
    Path program = distribution.resolve("bin").resolve("varve");
    Files.createDirectories(program.getParent());
    Files.createDirectories(distribution.resolve("lib").resolve("native"));
    Files.copy(LAUNCHER, program);
    Files.writeString(distribution.resolve("lib").resolve("varve.jar"), "");
    ProcessBuilder builder = new ProcessBuilder("sh", program.toString(), "--version");
    builder.environment().keySet().removeIf(name -> name.startsWith("VARVE_"));
    builder.environment().put("VARVE_AOT", "off");
    builder.environment().putAll(environment);
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return new Outcome(
        process.exitValue(),
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }
}
