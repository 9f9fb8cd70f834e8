package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.request.ReadRequest;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Capabilities;
import dev.varve.store.Capabilities.RowOrder;
import dev.varve.store.TableSpec;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A sample decades in the past, as sent by an agent whose clock is at 1970, must not slow down
 * reads of other series if partitions are read one by one.
 */
class StraySamplesTest {
  private static final long NOW = 1_700_000_000_000L;
  private static final GroupKey METRIC = GroupKey.of("m", Tags.of("host", "a"));

  private static TestEngine inPartitions(String layout) {
    return new TestEngine(TestEngine.dataset("main", TestEngine.layout(layout)))
        .around(store ->
            new StoreAround(store) {
              @Override
              public Capabilities capabilities(TableSpec spec) {
                Capabilities all = super.capabilities(spec);
                return new Capabilities(
                    all.cellTimes(), all.deletes(), RowOrder.PARTITION, all.limits(), all.powers());
              }
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"opentsdb", "heroic", "kairosdb", "buckets", "salted"})
  void lengthenNoReadOfOtherSeries(String layout) {
    ReadRequest all = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
    try (TestEngine engine = inPartitions(layout)) {
      engine.put(METRIC, NOW, new Value.Real(1));
      long before = partitions(engine, all);
      engine.put(GroupKey.of("other", Tags.of("host", "b")), 1_000, new Value.Real(2));
      assertThat(partitions(engine, all)).isEqualTo(before);
      engine.put(METRIC, NOW + 1_000, new Value.Real(3));
      assertThat(engine.read(all).values())
          .containsExactly(
              List.of(
                  new TestEngine.Sample(NOW, new Value.Real(1)),
                  new TestEngine.Sample(NOW + 1_000, new Value.Real(3))));
    }
  }

  private static long partitions(TestEngine engine, ReadRequest request) {
    return engine.dataset().explain(request, false).reads().stream()
        .mapToLong(read -> read.plan().estimate().partitions())
        .sum();
  }
}
