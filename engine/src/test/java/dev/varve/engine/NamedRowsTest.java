package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Budget;
import dev.varve.store.CellCursor;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Reads of series whose rows an index names one by one, as in tables of KairosDB. */
class NamedRowsTest {
  private static final long START = 1_699_999_200_000L;
  private static final int SERIES = 300;

  private final List<ReadPlan> plans = new ArrayList<>();

  private TestEngine filled() {
    TestEngine engine =
        new TestEngine(TestEngine.dataset("main", TestEngine.layout("kairosdb")))
            .around(store ->
                new StoreAround(store) {
                  @Override
                  public Table open(TableSpec spec, OpenMode mode) {
                    Table table = super.open(spec, mode);
                    return spec.name().endsWith("data_points") ? new Watched(table) : table;
                  }
                });
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < SERIES; i++) {
      batch.add(key(i), START, new Value.Real(i)).add(key(i), START + 1000, new Value.Real(i));
    }
    engine.write(batch.build());
    return engine;
  }

  private static GroupKey key(int series) {
    return GroupKey.of("cpu", Tags.of("host", String.format(Locale.ROOT, "h%03d", series)));
  }

  private final class Watched extends TableAround {
    private Watched(Table table) {
      super(table);
    }

    @Override
    public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
      plans.add(plan);
      return super.read(plan, resume);
    }
  }

  /** Returns the values of each series, in the order of delivery. */
  private List<String> read(TestEngine engine) {
    plans.clear();
    ReadRequest request =
        new ReadRequest(
            Selector.metric("cpu"),
            new TimeRange(START, START + 10_000),
            null,
            Versions.LATEST,
            Kinds.ONE,
            Order.SERIES_BY_SERIES,
            0,
            false,
            Budget.UNLIMITED);
    List<String> values = new ArrayList<>();
    try (RunCursor cursor = engine.dataset().read(request)) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        Samples samples = run.samples();
        for (int i = 0; i < samples.size(); i++) {
          values.add(run.series().label("host") + " " + samples.value(i));
        }
      }
    }
    return values;
  }

  private static String one(int series, Value value) {
    return key(series).tags().get("host") + " " + value;
  }

  @Test
  void takeOneReadWithoutCellTimes() {
    try (TestEngine engine = filled()) {
      List<String> values = read(engine);
      assertThat(values).hasSize(2 * SERIES).isSorted();
      assertThat(plans).hasSize(1);
      assertThat(plans.getFirst().cellTimes()).isFalse();
    }
  }

  @Test
  void chooseBetweenKindsThatAppearLaterByCellTimes() {
    try (TestEngine engine = filled()) {
      assertThat(read(engine)).contains(one(7, new Value.Real(7)));

      engine.micros.addAndGet(1_000_000);
      engine.write(new BatchBuilder().add(key(7), START, new Value.Int64(70)).build());
      assertThat(read(engine))
          .hasSize(2 * SERIES)
          .containsSequence(one(7, new Value.Int64(70)), one(7, new Value.Real(7)));
      assertThat(plans.stream().filter(ReadPlan::cellTimes)).hasSize(2);

      engine.micros.addAndGet(1_000_000);
      engine.write(new BatchBuilder().add(key(7), START, new Value.Real(71)).build());
      assertThat(read(engine)).contains(one(7, new Value.Real(71)));
    }
  }

  @Test
  void compareCellTimesWithDeletes() {
    try (TestEngine engine = filled()) {
      engine
          .dataset()
          .deletes()
          .begin(
              Selector.metric("cpu", new TagFilter.Equal("host", "h007")),
              new TimeRange(START, START + 1));
      assertThat(read(engine)).hasSize(2 * SERIES - 1);
    }
  }
}
