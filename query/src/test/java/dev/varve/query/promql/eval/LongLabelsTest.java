package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.query.MemoryRuns;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Labels that repeatedly grow from themselves are rejected before they fill the memory. */
class LongLabelsTest {
  private final MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);

  private PromResult ask(String before, String after, int depth) {
    String query = before.repeat(depth) + "x" + after.repeat(depth);
    return new PromQuery(query, runs).instant(0);
  }

  private void series(int count) {
    for (int i = 0; i < count; i++) {
      GroupKey key = new GroupKey("x", Tags.of(Map.of("id", "series" + i)), Tags.EMPTY);
      runs.add(key.field("value"), 0, new Value.Real(1));
    }
  }

  @Test
  void oneLabelOfAllTooMuch() {
    series(1);
    assertThatThrownBy(() -> ask("label_join(", ", \"id\", \"\", \"id\", \"id\")", 40))
        .isInstanceOf(PromQlEvaluationException.class)
        .hasMessage(
            "label_join() would create a label 'id' longer than the limit of 65,536 characters");
    assertThatThrownBy(() -> ask("label_replace(", ", \"id\", \"$1$1\", \"id\", \"(.*)\")", 40))
        .isInstanceOf(PromQlEvaluationException.class)
        .hasMessage(
            "label_replace() would create a label 'id' longer than the limit of 65,536 characters");
  }

  @Test
  void manyLongLabels() {
    series(20_000);
    assertThatThrownBy(() -> ask("label_join(", ", \"id\", \"\", \"id\", \"id\")", 12))
        .isInstanceOf(QueryRefusedException.class)
        .hasMessageContaining("that a query may hold; it stopped at");
  }
}
