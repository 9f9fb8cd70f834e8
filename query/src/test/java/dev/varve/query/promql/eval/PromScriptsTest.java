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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every function and operator, by scripts that say what each gives. */
class PromScriptsTest {
  @ParameterizedTest
  @ValueSource(strings = {"selectors", "operators", "aggregations", "over-time", "functions"})
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
      return new PromQuery(expression, runs, PromLimits.DEFAULTS);
    }
  }
}
