package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.Value;
import dev.varve.query.MemoryRuns;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests every function and operator with scripts. */
class PromScriptsTest {
  /** Directory of additional scripts: {@code -Dvarve.promql.scripts=DIRECTORY}. */
  private static final @Nullable String MORE = System.getProperty("varve.promql.scripts");

  @TestFactory
  Stream<DynamicTest> givesWhatOtherScriptsSay() throws IOException {
    if (MORE == null) {
      return Stream.empty();
    }
    try (Stream<Path> files = Files.list(Path.of(MORE))) {
      return files
          .filter(file -> file.toString().endsWith(".test"))
          .sorted()
          .map(file ->
              DynamicTest.dynamicTest(
                  file.getFileName().toString(),
                  () -> new PromScript(Files.readString(file), new InMemory()).run()))
          .toList()
          .stream();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "selectors",
        "operators",
        "aggregations",
        "over-time",
        "functions",
        "language",
        "reads"
      })
  void givesWhatTheScriptSays(String script) {
    assertThat(new PromScript(text(script), new InMemory()).run()).isGreaterThan(10);
  }

  static String text(String script) {
    try (InputStream in =
        PromScriptsTest.class.getResourceAsStream("/promql/" + script + ".test")) {
      if (in == null) {
        throw new IllegalArgumentException("no script " + script);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class InMemory implements PromScript.Subject {
    private MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);

    @Override
    public void clear() {
      runs = new MemoryRuns(Resolution.MILLISECONDS);
    }

    @Override
    public void add(Series series, long time, double value) {
      runs.add(series, time, new Value.Real(value));
    }

    @Override
    public PromQuery query(String expression) {
      return new PromQuery(expression, runs);
    }
  }
}
