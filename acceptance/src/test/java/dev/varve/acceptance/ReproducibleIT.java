package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Two builds of the same sources, in folders of different names and ages, give equal jars. {@code
 * varve.reproducible.modules} names the modules; profile {@code full} builds up to the engine.
 */
class ReproducibleIT {
  private static final String MODULES =
      System.getProperty("varve.reproducible.modules", "model,store");

  @Test
  void twoBuildsGiveEqualJars() throws Exception {
    Map<String, byte[]> one =
        jars(build("reproducible/one", Instant.parse("2026-01-02T00:00:00Z")));
    Map<String, byte[]> other =
        jars(build("reproducible/another-folder", Instant.parse("2026-03-04T00:00:00Z")));
    assertThat(one).isNotEmpty();
    assertThat(other.keySet()).isEqualTo(one.keySet());
    one.forEach((name, bytes) -> assertThat(other.get(name)).as(name).isEqualTo(bytes));
  }

  private static Path build(String name, Instant changed) throws Exception {
    Path folder = Checkout.fresh(name);
    copySources(folder, changed);
    ProcessBuilder maven =
        new ProcessBuilder(
                folder.resolve("mvnw").toString(),
                "-B",
                "-q",
                "-Dfast",
                "-Dmaven.test.skip=true",
                "-pl",
                MODULES,
                "-am",
                "package")
            .directory(folder.toFile());
    maven.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Checkout.run(maven).success();
    return folder;
  }

  /** Copies what the build of the modules reads; Maven wants to see the POMs of all. */
  private static void copySources(Path target, Instant changed) throws Exception {
    String files =
        Checkout.run(
                new ProcessBuilder("git", "ls-files", "-co", "--exclude-standard")
                    .directory(Checkout.root().toFile()))
            .success();
    for (String file : files.lines().toList()) {
      Path source = Checkout.root().resolve(file);
      if (Files.isRegularFile(source) && !file.startsWith("docs/")) {
        Path copy = target.resolve(file);
        Files.createDirectories(copy.getParent());
        Files.copy(source, copy);
        Files.setLastModifiedTime(copy, FileTime.from(changed));
        if (Files.isExecutable(source)) {
          assertThat(copy.toFile().setExecutable(true)).isTrue();
        }
      }
    }
  }

  private static Map<String, byte[]> jars(Path folder) throws IOException {
    Map<String, byte[]> jars = new TreeMap<>();
    try (Stream<Path> all = Files.walk(folder)) {
      List<Path> found =
          all.filter(file -> file.toString().matches(".*/target/fast/[^/]+\\.jar")).toList();
      for (Path jar : found) {
        jars.put(folder.relativize(jar).toString(), Files.readAllBytes(jar));
      }
    }
    return jars;
  }
}
