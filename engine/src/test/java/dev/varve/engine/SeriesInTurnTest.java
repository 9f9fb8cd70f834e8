package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Budget;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ReadCost;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Series that are planned in groups and read one after the other. */
class SeriesInTurnTest {
  /** The maximum number of bytes held at once. */
  private final AtomicLong most = new AtomicLong();

  private static final long HOUR = 3_600_000L;
  private static final long START = 1_699_999_200_000L;
  private static final int SERIES = 600;

  private static TestEngine filled(String layout) {
    TestEngine engine = new TestEngine(TestEngine.dataset("main", TestEngine.layout(layout)));
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < SERIES; i++) {
      GroupKey key = GroupKey.of("cpu", Tags.of("host", String.format(Locale.ROOT, "h%03d", i)));
      // Long series among short ones: collected samples must not be delivered after later ones that
      // are delivered immediately.
      int samples = i % 50 == 0 ? 1_500 : 2;
      for (int s = 0; s < samples; s++) {
        batch.add(key, START + s * 1_000L, new Value.Real(s));
      }
    }
    engine.write(batch.build());
    return engine;
  }

  private static ReadRequest request(Order order) {
    return new ReadRequest(
        Selector.metric("cpu"),
        new TimeRange(START, START + HOUR),
        null,
        Versions.LATEST,
        Kinds.ONE,
        order,
        0,
        false,
        Budget.UNLIMITED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "heroic", "kairosdb", "opentsdb", "tall-narrow", "salted"})
  void comeOneAfterTheOther(String layout) {
    try (TestEngine engine = filled(layout)) {
      List<Series> order = new ArrayList<>();
      long samples = 0;
      ReadCost cost;
      try (RunCursor cursor = engine.dataset().read(request(Order.SERIES_BY_SERIES))) {
        for (Run run = cursor.next(); run != null; run = cursor.next()) {
          samples += run.samples().size();
          if (order.isEmpty() || !order.getLast().equals(run.series())) {
            order.add(run.series());
          }
        }
        cost = cursor.cost();
      }
      assertThat(order).hasSize(SERIES).doesNotHaveDuplicates();
      assertThat(order).extracting(series -> series.label("host")).isSorted();
      assertThat(samples).isEqualTo(12 * 1_500 + (SERIES - 12) * 2);

      QueryExplanation explained = engine.dataset().explain(request(Order.SERIES_BY_SERIES), true);
      assertThat(explained.actual()).isNotNull();
      assertThat(explained.actual().cost().cellsRead()).isEqualTo(cost.cellsRead());
    }
  }

  /** Reads of KairosDB's index must be reported to the guard, with their memory. */
  @Test
  void tellWhatAnIndexNames() {
    AtomicLong found = new AtomicLong();
    try (TestEngine engine = filled("kairosdb")) {
      ReadRequest request = request(Order.SERIES_BY_SERIES);
      engine.dataset().read(request, guard(found, false)).close();
      assertThat(most.get()).isGreaterThan(SERIES * 10L);
      assertThat(found.get()).isZero();
      assertThatThrownBy(() -> engine.dataset().read(request, guard(found, true)))
          .isInstanceOf(ReadCancelledException.class);
    }
  }

  /** Fields share the rows of their key. They are read one by one but explained as one read. */
  @ParameterizedTest
  @ValueSource(strings = {"buckets", "server-metrics"})
  void areExplainedWithoutBeingCountedTwice(String layout) {
    try (TestEngine engine =
        new TestEngine(TestEngine.dataset("main", TestEngine.layout(layout)))) {
      BatchBuilder batch = new BatchBuilder();
      for (int i = 0; i < 20; i++) {
        batch.add(pod(i), START, new Value.Real(i));
        batch.add(pod(i), "idle", START, new Value.Real(i));
      }
      engine.write(batch.build());
      AtomicLong matched = new AtomicLong();
      QueryExplanation explained =
          engine
              .dataset()
              .explain(
                  request(Order.SERIES_BY_SERIES), true, guard(matched, new AtomicLong(), false));
      assertThat(matched).hasValue(20);
      assertThat(explained.seriesMatched()).isEqualTo(20);
      assertThat(explained.reads().getFirst().plan().estimate().rowsWanted()).hasValue(20);
      assertThat(explained.actual()).isNotNull();
      assertThat(explained.actual().samples()).isEqualTo(40);
    }
  }

  private static GroupKey pod(int number) {
    return new GroupKey(
        "cpu", Tags.EMPTY, Tags.of("pod", String.format(Locale.ROOT, "p%03d", number)));
  }

  private ReadGuard guard(AtomicLong found, boolean ends) {
    return guard(new AtomicLong(), found, ends);
  }

  private ReadGuard guard(AtomicLong matched, AtomicLong found, boolean ends) {
    return new ReadGuard() {
      @Override
      public void ensureWanted() {}

      @Override
      public void matched(long keys) {
        matched.addAndGet(keys);
      }

      @Override
      public void held(long bytes, String what) {
        most.accumulateAndGet(found.addAndGet(bytes), Math::max);
        if (ends) {
          throw new ReadCancelledException();
        }
      }

      @Override
      public boolean tryHold(long bytes) {
        found.addAndGet(ends ? 0 : bytes);
        return !ends;
      }

      @Override
      public void released(long bytes) {
        found.addAndGet(-bytes);
      }

      @Override
      public void begun(Runnable cancel) {}

      @Override
      public void ended(Runnable cancel) {}
    };
  }
}
