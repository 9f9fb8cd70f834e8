package dev.varve.acceptance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The archive that users unpack, as profile {@code dist} has made it. */
final class Distribution {
  private Distribution() {}

  /**
   * Returns the archive.
   *
   * @throws AssertionError with the command that makes it if it is missing
   */
  static Path archive() throws IOException {
    try (Stream<Path> files = Files.list(Checkout.root().resolve("cli/target"))) {
      return files
          .filter(file -> file.getFileName().toString().matches("varve-.*\\.tar\\.gz"))
          .findFirst()
          .orElseThrow(() ->
              new AssertionError(
                  "there is no distribution in cli/target. Make it with: ./mvnw -Pdist -DskipTests package"));
    }
  }

  /** Makes the root file system of the image, with the Java of this test. */
  static void assemble(Path root) throws IOException, InterruptedException {
    Checkout.run(
            new ProcessBuilder(
                List.of(
                    Checkout.root().resolve("packaging/image/assemble").toString(),
                    archive().toString(),
                    System.getProperty("java.home"),
                    root.toString())))
        .success();
  }
}
