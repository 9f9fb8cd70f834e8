package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.plan.Plan.Estimate;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Recurring;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** If rows are short, a query for five minutes of each day reads only their rows. */
class RecurringReadTest {
  private static final long START = 1_699_920_000_000L;
  private static final long MINUTE = 60_000;
  private static final long DAY = 24 * 60 * MINUTE;
  private static final int DAYS = 20;

  @ParameterizedTest
  @CsvSource({"buckets, 1h, 480, 20", "buckets, 1d, 20, 20", "opentsdb, , 480, 20"})
  void readsRowsOfTheTimesThatAreWanted(String layout, String bucket, long all, long wanted) {
    Map<String, String> parameters = bucket == null ? Map.of() : Map.of("bucket", bucket);
    try (TestEngine engine =
        new TestEngine(TestEngine.dataset("main", Layouts.of(layout, parameters)))) {
      write(engine);
      ReadRequest whole =
          ReadRequest.of(Selector.metric("m"), new TimeRange(START, START + DAYS * DAY));
      assertThat(rows(engine, whole)).isBetween(all, all + 1);
      Recurring noon = new Recurring(START + DAY / 2 - 5 * MINUTE, DAY, 5 * MINUTE);
      assertThat(rows(engine, whole.with(noon))).isBetween(wanted, wanted + 1);
    }
  }

  private static void write(TestEngine engine) {
    BatchBuilder batch = new BatchBuilder();
    GroupKey key = GroupKey.of("m", Tags.of("host", "a"));
    for (long time = START; time < START + DAYS * DAY; time += 5 * MINUTE) {
      batch.group(key).add("value", time, time / 1000.0);
    }
    assertThat(engine.write(batch.build()).refused()).isZero();
  }

  /** Returns the number of rows read, and asserts that the estimate is within a factor of two. */
  private static long rows(TestEngine engine, ReadRequest request) {
    QueryExplanation explained = engine.dataset().explain(request, true);
    long read = Objects.requireNonNull(explained.actual()).cost().rows();
    long cells = Objects.requireNonNull(explained.actual()).cost().cellsRead();
    Estimate estimate = explained.reads().getFirst().plan().estimate();
    assertThat(estimate.rows().orElseThrow()).isBetween(read / 2, 2 * read);
    assertThat(estimate.cells().orElseThrow()).isBetween(cells / 2, 2 * cells);
    return read;
  }
}
