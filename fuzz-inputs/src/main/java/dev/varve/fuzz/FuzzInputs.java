package dev.varve.fuzz;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the seeds and findings of fuzzing: every file under the resource {@code fuzz} of the module
 * that extends it is passed to the target named by its folder. docs/testing.md explains how to
 * fuzz.
 */
public abstract class FuzzInputs {
  static List<Path> inputs() throws IOException, URISyntaxException {
    // The first on the class path: a module's own resources precede those of its dependencies.
    Path root = Path.of(Objects.requireNonNull(FuzzInputs.class.getResource("/fuzz")).toURI());
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("inputs")
  void isTaken(Path input) throws Exception {
    String target = String.valueOf(input.getName(input.getNameCount() - 2));
    byte[] bytes = Files.readAllBytes(input);
    assertThatCode(() ->
            Class.forName(target)
                .getMethod("fuzzerTestOneInput", byte[].class)
                .invoke(null, (Object) bytes))
        .doesNotThrowAnyException();
  }
}
