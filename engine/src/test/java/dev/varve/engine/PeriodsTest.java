package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.error.InvalidConfigException;
import dev.varve.engine.home.IdentityTable.CatalogState;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.ReadScope;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Budget;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A dataset keeps the layout with which it was created; a period adds another one from an instant
 * on.
 */
class PeriodsTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));
  private static final Instant BORDER = Instant.ofEpochMilli(1_700_100_000_000L);
  private static final DatasetConfig FIRST =
      TestEngine.dataset("main", TestEngine.layout("buckets"));

  private final TestEngine engine = new TestEngine(FIRST);

  @AfterEach
  void close() {
    engine.close();
  }

  private static DatasetConfig with(PeriodConfig... more) {
    List<PeriodConfig> periods = new ArrayList<>(FIRST.periods());
    periods.addAll(List.of(more));
    return new DatasetConfig(
        FIRST.name(),
        FIRST.store(),
        periods,
        FIRST.retention(),
        FIRST.duplicates(),
        FIRST.resources(),
        FIRST.wholeTableScans());
  }

  private static PeriodConfig period(Instant from, String layout) {
    return new PeriodConfig(from, List.of(TestEngine.layout(layout)));
  }

  @Test
  void readsAcrossTheBorderAndPutsEveryInstantOnOneSide() {
    engine.put(KEY, BORDER.toEpochMilli() - 2, new Value.Real(1));
    engine.restart(with(period(BORDER, "tall-narrow")));
    BatchBuilder batch = new BatchBuilder();
    for (long time = -1; time <= 1; time++) {
      batch.add(KEY, BORDER.toEpochMilli() + time, new Value.Real(time));
    }
    assertThat(engine.write(batch.build()).accepted()).isEqualTo(3);

    assertThat(times(TimeRange.ALL)).containsExactly(-2, -1, 0, 1);
    assertThat(times(around(-1, 1))).containsExactly(-1, 0);
    assertThat(times(around(0, 1))).containsExactly(0);
    assertThat(times(around(-1, 0))).containsExactly(-1);
    QueryExplanation explained =
        engine.dataset().explain(ReadRequest.of(Selector.metric("m"), around(-1, 1)), false);
    assertThat(explained.reads())
        .extracting(QueryExplanation.PeriodRead::layout)
        .containsExactly("buckets", "tall-narrow");
    assertThat(explained.reads())
        .extracting(QueryExplanation.PeriodRead::times)
        .containsExactly(around(-1, 0), around(0, 1));
  }

  @Test
  void givesTheNewestOfAllPeriodsFirst() {
    engine.restart(with(period(BORDER, "newest-first")));
    for (long time = -5; time < 5; time++) {
      engine.put(KEY, BORDER.toEpochMilli() + time, new Value.Real(time));
    }

    ReadRequest newest =
        new ReadRequest(
            Selector.metric("m"),
            TimeRange.ALL,
            null,
            ReadScope.Versions.LATEST,
            ReadRequest.Kinds.ONE,
            ReadRequest.Order.TIME_WITHIN_SERIES,
            7,
            false,
            Budget.UNLIMITED);
    List<Sample> samples = engine.read(newest).get(KEY.field("value"));
    assertThat(samples)
        .extracting(sample -> sample.time() - BORDER.toEpochMilli())
        .containsExactlyInAnyOrder(-2L, -1L, 0L, 1L, 2L, 3L, 4L);
  }

  @Test
  void refusesAnotherLayoutAndNamesBoth() {
    engine.put(KEY, 0, new Value.Real(1));
    engine.restart(TestEngine.dataset("main", TestEngine.layout("tall-narrow")));

    assertThatThrownBy(engine::dataset)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("'main' was made with layout of period 0 buckets{")
        .hasMessageContaining("the configuration says tall-narrow{");
  }

  @Test
  void refusesTheSameLayoutWithAnotherParameter() {
    engine.put(KEY, 0, new Value.Real(1));
    engine.restart(TestEngine.dataset("main", Layouts.of("buckets", Map.of("bucket", "1h"))));

    assertThatThrownBy(engine::dataset)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("1d")
        .hasMessageContaining("1h");
  }

  @Test
  void refusesACompanionThatComesLater() {
    engine.dataset();
    engine.restart(
        TestEngine.dataset("main", TestEngine.layout("buckets"), TestEngine.layout("salted")));

    assertThatThrownBy(engine::dataset)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("companion 1 of period 0 null")
        .hasMessageContaining("salted");
  }

  @Test
  void refusesAPeriodThatHasBegunAlready() {
    engine.dataset();
    engine.restart(with(period(Instant.ofEpochMilli(1_600_000_000_000L), "tall-narrow")));

    assertThatThrownBy(engine::dataset)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("has to begin in the future")
        .hasMessageContaining("1600000000000");
  }

  @Test
  void refusesToForgetAPeriodOrToMoveItsStart() {
    engine.restart(with(period(BORDER, "tall-narrow")));
    engine.dataset();

    engine.restart(FIRST);
    assertThatThrownBy(engine::dataset)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("which the configuration lacks");
    engine.restart(with(period(BORDER.plusSeconds(60), "tall-narrow")));
    assertThatThrownBy(engine::dataset)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("start of period 1");
  }

  @Test
  void keepsTwoPeriodsOfOneLayoutInTablesOfTheirOwn() {
    engine.restart(
        with(new PeriodConfig(BORDER, List.of(Layouts.of("buckets", Map.of("bucket", "1h"))))));
    for (long time = -2; time < 2; time++) {
      engine.put(KEY, BORDER.toEpochMilli() + time, new Value.Real(time));
    }

    assertThat(engine.store().tables()).contains("main.buckets", "main.1-0.buckets");
    assertThat(times(TimeRange.ALL)).containsExactly(-2, -1, 0, 1);
  }

  @Test
  void checksADeclarationBeforeItIsMade() {
    DatasetConfig wrong =
        new DatasetConfig(
            "ma.in",
            FIRST.store(),
            List.of(
                new PeriodConfig(Instant.EPOCH, List.of(TestEngine.layout("buckets"))),
                new PeriodConfig(Instant.EPOCH, List.of(TestEngine.layout("smart-meters")))),
            Duration.ZERO,
            DatasetConfig.Duplicates.MAX,
            Set.of(),
            false);

    try (TestEngine refused = new TestEngine(wrong)) {
      assertThatThrownBy(refused::dataset)
          .isInstanceOfSatisfying(
              InvalidConfigException.class,
              e ->
                  assertThat(e.problems())
                      .hasSize(6)
                      .anySatisfy(p -> assertThat(p).contains("1 to 64 characters"))
                      .anySatisfy(p -> assertThat(p).contains("retention PT0S"))
                      .anySatisfy(
                          p -> assertThat(p).contains("the first period must not have a start"))
                      .anySatisfy(p -> assertThat(p).contains("does not start after"))
                      .anySatisfy(p -> assertThat(p).contains("counts in s, the dataset in ms"))
                      .anySatisfy(p -> assertThat(p).contains("'buckets' keeps the last")));
    }
  }

  /** If a damaged file loses the catalog, samples of all periods must be found again. */
  @Test
  void rebuildsALostCatalogFromTheTablesOfAllPeriods() {
    GroupKey later = GroupKey.of("m", Tags.of("host", "later"));
    GroupKey last = GroupKey.of("m", Tags.of("host", "last"));
    Instant lastBorder = BORDER.plusSeconds(3600);
    engine.put(KEY, BORDER.toEpochMilli() - 1, new Value.Real(1));
    engine.restart(with(period(BORDER, "tall-narrow"), period(lastBorder, "heroic")));
    engine.put(later, BORDER.toEpochMilli(), new Value.Real(2));
    engine.put(last, lastBorder.toEpochMilli(), new Value.Real(3));
    var before = engine.read(ReadRequest.of(Selector.metric("m"), TimeRange.ALL));
    assertThat(before).hasSize(3);

    loseCatalog();
    engine.restart();
    await().atMost(Duration.ofSeconds(20)).until(() -> engine.dataset().isCatalogComplete());
    assertThat(engine.read(ReadRequest.of(Selector.metric("m"), TimeRange.ALL))).isEqualTo(before);
    assertThat(engine.dataset().parts().open().home().identity().catalogState())
        .isEqualTo(CatalogState.COMPLETE);
  }

  private void loseCatalog() {
    OpenDataset dataset = engine.dataset().parts().open();
    Table series = dataset.home().series().table();
    MutationBatch deletions = new MutationBatch();
    CellBatch page = new CellBatch();
    ReadPlan everything =
        ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));
    try (CellCursor cells = series.read(everything, null)) {
      while (cells.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          deletions.deleteRow(page.row(i));
        }
      }
    }
    assertThat(series.apply(deletions, Durability.SYNCED)).isEmpty();
    dataset.home().identity().catalogState(CatalogState.LOST, dataset.stamps(1));
  }

  private long[] times(TimeRange range) {
    List<Sample> samples =
        engine
            .read(ReadRequest.of(Selector.metric("m"), range))
            .getOrDefault(KEY.field("value"), List.of());
    return samples.stream()
        .flatMapToLong(sample -> LongStream.of(sample.time() - BORDER.toEpochMilli()))
        .toArray();
  }

  private static TimeRange around(long from, long to) {
    return new TimeRange(BORDER.toEpochMilli() + from, BORDER.toEpochMilli() + to);
  }
}
