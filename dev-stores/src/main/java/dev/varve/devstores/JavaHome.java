package dev.varve.devstores;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds an installed Java by its version. */
public final class JavaHome {
  private static final List<Path> PLACES =
      List.of(
          Path.of("/usr/lib/jvm"),
          Path.of("/usr/java"),
          Path.of("/opt/java"),
          Path.of(System.getProperty("user.home"), ".sdkman/candidates/java"),
          Path.of(System.getProperty("user.home"), ".jdks"),
          Path.of("/Library/Java/JavaVirtualMachines"));

  private JavaHome() {}

  /** Returns the {@code java} program of the running Java. */
  public static Path ownJava() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  /**
   * Returns the {@code java} program of a version.
   *
   * @param version the major version, such as 17
   * @throws DevStoreException with the command that installs it, if there is none
   */
  public static Path java(int version) {
    for (Path home : candidates(version)) {
      Path java = home.resolve("bin/java");
      if (Files.isExecutable(java) && isOf(version, home)) {
        return java;
      }
    }
    throw new DevStoreException(
        "no Java %d found, which this store needs: install one with 'sudo apt-get install openjdk-%d-jre-headless', or set VARVE_JAVA%d_HOME"
            .formatted(version, version, version));
  }

  private static List<Path> candidates(int version) {
    List<Path> candidates = new ArrayList<>();
    for (String variable :
        List.of("VARVE_JAVA" + version + "_HOME", "JAVA" + version + "_HOME", "JAVA_HOME")) {
      String home = System.getenv(variable);
      if (home != null && !home.isBlank()) {
        candidates.add(Path.of(home));
      }
    }
    for (Path place : PLACES) {
      if (Files.isDirectory(place)) {
        try (Stream<Path> homes = Files.list(place)) {
          homes
              .sorted()
              .forEach(home -> {
                candidates.add(home);
                candidates.add(home.resolve("Contents/Home"));
              });
        } catch (IOException e) {
          throw new DevStoreException("cannot list " + place + ": " + e.getMessage(), e);
        }
      }
    }
    return candidates;
  }

  private static boolean isOf(int version, Path home) {
    String found = version(home.resolve("release"));
    return found != null
        && (found.equals(String.valueOf(version)) || found.startsWith(version + "."));
  }

  /** Returns the version in a Java's {@code release} file; null if there is none. */
  private static @Nullable String version(Path release) {
    if (!Files.isReadable(release)) {
      return null;
    }
    try (Stream<String> lines = Files.lines(release)) {
      return lines
          .filter(line -> line.startsWith("JAVA_VERSION="))
          .map(line -> line.substring("JAVA_VERSION=".length()).replace("\"", ""))
          .findFirst()
          .orElse(null);
    } catch (IOException e) {
      throw new DevStoreException("cannot read " + release + ": " + e.getMessage(), e);
    }
  }
}
