package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.PowerLossStore.Fate;
import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.home.MarkerTable;
import dev.varve.engine.home.MarkerTable.Marker;
import dev.varve.engine.home.MarkerTable.Written;
import dev.varve.layout.Layout;
import dev.varve.layout.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Table;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CompanionTest {
  private static final long DAY = 86_400_000L;
  private static final long START = 19_000 * DAY;
  private static final String COMPANION_TABLE = "main.0-1.";

  private final TestEngine engine =
      new TestEngine(
          TestEngine.dataset("main", Layouts.all("companion", Map.of()).toArray(Layout[]::new)));

  @AfterEach
  void close() {
    engine.close();
  }

  @Test
  void readsTheLayoutThatIsCheaperAndTheAnswersAgree() {
    Batch batch = batch(200, 30);
    engine.write(batch);
    Model model = new Model();
    model.write(batch);

    ReadRequest oneHost =
        ReadRequest.of(
            Selector.metric("m", new TagFilter.Equal("host", "h7")),
            new TimeRange(START, START + 30 * DAY));
    ReadRequest oneDay =
        ReadRequest.of(Selector.metric("m"), new TimeRange(START + 5 * DAY, START + 6 * DAY));
    assertThat(layoutOf(oneHost)).isEqualTo("promoted");
    assertThat(layoutOf(oneDay)).isEqualTo("by-time");
    assertThat(engine.read(oneHost))
        .isEqualTo(
            model.read(oneHost.times(), series -> "h7".equals(series.key().tags().get("host"))));
    assertThat(engine.read(oneDay)).isEqualTo(model.read(oneDay.times(), series -> true));
  }

  @Test
  void saysWhyTheOtherLayoutLost() {
    engine.write(batch(200, 30));

    QueryExplanation explained =
        engine
            .dataset()
            .explain(
                ReadRequest.of(
                    Selector.metric("m"), new TimeRange(START + 5 * DAY, START + 6 * DAY)),
                false);
    assertThat(explained.reads().getFirst().lost())
        .singleElement()
        .asString()
        .startsWith("promoted: costs ");
  }

  @Test
  void acknowledgesByThePrimaryAndRepairsTheCompanionLater() {
    Batch batch = batch(20, 3);
    engine.dataset();
    engine
        .store()
        .fates((write, table) -> table.startsWith(COMPANION_TABLE) ? Fate.NOT_APPLIED : Fate.WELL);
    assertThat(engine.write(batch).accepted()).isEqualTo(batch.sampleCount());
    Model model = new Model();
    model.write(batch);

    ReadRequest oneDay =
        ReadRequest.of(Selector.metric("m"), new TimeRange(START + DAY, START + 2 * DAY));
    assertThat(markers()).isEqualTo(1);
    assertThat(layoutOf(oneDay)).isEqualTo("promoted");
    assertThat(engine.read(oneDay)).isEqualTo(model.read(oneDay.times(), series -> true));

    engine.store().fates((write, table) -> Fate.WELL);
    await().atMost(Duration.ofSeconds(20)).until(() -> markers() == 0);
    assertThat(companionAnswer(oneDay)).isEqualTo(model.read(oneDay.times(), series -> true));
  }

  @Test
  void repairsAfterALossOfPowerBetweenPrimaryAndCompanion() {
    for (int seed = 0; seed < 30; seed++) {
      try (TestEngine one =
          new TestEngine(
              TestEngine.dataset(
                  "main", Layouts.all("companion", Map.of()).toArray(Layout[]::new)))) {
        one.dataset();
        one.store()
            .fates(
                (write, table) -> table.startsWith(COMPANION_TABLE) ? Fate.POWER_LOSS : Fate.WELL);
        Batch batch = batch(20, 3);
        try {
          one.write(batch);
        } catch (WriteFailedException e) {
          // Nothing was acknowledged: some of it may stand.
        }
        one.losePower(new Random(seed));

        ReadRequest all = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
        assertThat(
                one.engine().figures().getOrDefault("write_markers{dataset=\"main\"}", Double.NaN))
            .isZero();
        Map<Series, List<Sample>> ofPrimary = one.read(all);
        for (int day = 0; day < 3; day++) {
          ReadRequest oneDay =
              ReadRequest.of(
                  Selector.metric("m"), new TimeRange(START + day * DAY, START + (day + 1) * DAY));
          Model primary = new Model();
          ofPrimary.forEach((series, samples) ->
              samples.forEach(sample -> primary.write(series, sample.time(), sample.value())));
          assertThat(one.read(oneDay)).isEqualTo(primary.read(oneDay.times(), series -> true));
        }
      }
    }
  }

  @Test
  void aMarkerOfAPeriodThatThisServerLacksIsLeftToTheOthers() {
    GroupKey key = GroupKey.of("m", Tags.of("host", "h"));
    engine.write(batch(3, 1));
    try (Table markers = engine.store().openAgain(".main.markers")) {
      MutationBatch edit = new MutationBatch();
      MarkerTable.put(edit, new Marker(null, 5, List.of(new Written(7, key, TimeRange.ALL))));
      assertThat(markers.apply(edit, Durability.SYNCED)).isEmpty();
    }
    engine.restart();
    engine.write(batch(3, 1));
    assertThat(engine.engine().figures()).containsEntry("write_markers{dataset=\"main\"}", 1.0);
  }

  @Test
  void refusesWhatOneOfTheLayoutsCannotHold() {
    TestEngine mixed =
        new TestEngine(
            TestEngine.dataset("main", TestEngine.layout("buckets"), TestEngine.layout("heroic")));
    GroupKey key = GroupKey.of("m", Tags.of("host", "a"));
    try (mixed) {
      Batch batch =
          new BatchBuilder()
              .add(key, START, new Value.Real(1))
              .add(key, START + 1, new Value.Text("no double"))
              .add(key, START + 2, new Value.Real(3))
              .build();
      WriteResult result = mixed.write(batch);

      assertThat(result.accepted()).isEqualTo(2);
      assertThat(result.rejections())
          .singleElement()
          .satisfies(rejection -> {
            assertThat(rejection.time()).isEqualTo(START + 1);
            assertThat(rejection.refusal().rule()).startsWith("heroic.");
          });
      assertThat(mixed.read(ReadRequest.of(Selector.metric("m"), TimeRange.ALL)))
          .isEqualTo(
              Map.of(
                  key.field("value"),
                  List.of(
                      new Sample(START, new Value.Real(1)),
                      new Sample(START + 2, new Value.Real(3)))));
    }
  }

  private double markers() {
    return engine.engine().figures().getOrDefault("write_markers{dataset=\"main\"}", Double.NaN);
  }

  private Map<Series, List<Sample>> companionAnswer(ReadRequest request) {
    assertThat(layoutOf(request)).isEqualTo("by-time");
    return engine.read(request);
  }

  private String layoutOf(ReadRequest request) {
    return engine.dataset().explain(request, false).reads().getFirst().layout();
  }

  private static Batch batch(int hosts, int days) {
    BatchBuilder batch = new BatchBuilder();
    for (int host = 0; host < hosts; host++) {
      GroupKey key = GroupKey.of("m", Tags.of("host", "h" + host));
      for (int day = 0; day < days; day++) {
        batch.add(key, START + day * DAY + 7, new Value.Real(host + day / 8.0));
      }
    }
    return batch.build();
  }
}
