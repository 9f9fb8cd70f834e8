package dev.varve.engine;

import static dev.varve.engine.TestEngine.dataset;
import static dev.varve.engine.TestEngine.layout;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DatasetTest {
  private static final GroupKey A = GroupKey.of("cpu", Tags.of("host", "a"));
  private static final GroupKey B = GroupKey.of("cpu", Tags.of("host", "b"));

  private final TestEngine engine = new TestEngine(dataset("main", layout("buckets")));

  @AfterEach
  void close() {
    engine.close();
  }

  @Test
  void readsWhatWasWritten() {
    engine.put(A, 1000, new Value.Real(1.5));
    engine.put(A, 2000, new Value.Int64(7));
    engine.put(B, 1000, new Value.Real(-0.0));

    assertThat(engine.read(ReadRequest.of(Selector.metric("cpu"), TimeRange.ALL)))
        .isEqualTo(
            Map.of(
                A.field("value"),
                List.of(
                    new Sample(1000, new Value.Real(1.5)), new Sample(2000, new Value.Int64(7))),
                B.field("value"),
                List.of(new Sample(1000, new Value.Real(-0.0)))));
  }
}
