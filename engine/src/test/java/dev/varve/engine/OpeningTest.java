package dev.varve.engine;

import static dev.varve.engine.TestEngine.dataset;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.Layouts;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tables that say of themselves what they were made with. */
class OpeningTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));

  @Test
  void aNewKeyspaceOfKairosDbIsToldItsUnitOnce() {
    try (TestEngine engine = new TestEngine(kairosDb("seconds"))) {
      engine.put(KEY, 0, new Value.Int64(1));
      engine.restart();
      engine.put(KEY, 1000, new Value.Int64(2));

      ReadRequest all = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
      assertThat(engine.read(all).get(KEY.field("value"))).hasSize(2);
    }
  }

  @Test
  void aKeyspaceOfAnotherUnitIsNotOpened() {
    try (TestEngine engine = new TestEngine(kairosDb("milliseconds")).around(OpeningTest::legacy)) {
      assertThatThrownBy(engine::engine)
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("dataset 'main', layout 'kairosdb'")
          .hasMessageContaining("unit should be legacy, and is milliseconds");
    }
  }

  /** Puts there what a version of KairosDB before 1.3 leaves: a metric, and nothing in spec. */
  private static Store legacy(Store store) {
    TableSpec spec =
        Layouts.of("kairosdb", Map.of()).tables().stream()
            .filter(table -> table.name().equals("string_index"))
            .findFirst()
            .orElseThrow();
    TableSpec named =
        new TableSpec("main.string_index", spec.families(), spec.timeUnit(), spec.partitioning());
    try (Table table = store.open(named, Store.OpenMode.CREATE_IF_ABSENT)) {
      MutationBatch batch = new MutationBatch();
      batch.put(Bytes.utf8("metric_names"), 0, Bytes.utf8("m"), 1, Bytes.fromHex("00"));
      table.apply(batch, Durability.SYNCED);
    }
    return store;
  }

  private static DatasetConfig kairosDb(String unit) {
    return dataset("main", Layouts.of("kairosdb", Map.of("unit", unit)));
  }
}
