package dev.varve.engine;

import static dev.varve.engine.TestEngine.dataset;
import static dev.varve.engine.TestEngine.layout;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.catalog.SeriesBounds;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.progress.FillResult;
import dev.varve.engine.request.Cardinality;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.request.WriteResult;
import dev.varve.engine.write.BatchWithin;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bound view of a dataset tells and changes nothing outside of its bounds. */
class SeriesBoundsTest {
  private static final GroupKey OURS = GroupKey.of("cpu", Tags.of("host", "a", "team", "red"));
  private static final GroupKey THEIRS = GroupKey.of("cpu", Tags.of("host", "b", "team", "blue"));
  private static final GroupKey NOBODYS = GroupKey.of("secret", Tags.of("rack", "9"));
  private static final Selector RED = new Selector(List.of(new TagFilter.Equal("team", "red")));
  private static final Selector CPU = Selector.metric("cpu");
  private static final Selector EVERY =
      new Selector(List.of(new TagFilter.Regex(Series.NAME_LABEL, ".*")));

  private TestEngine engine = new TestEngine(dataset("main", layout("buckets")));
  private Dataset whole = engine.dataset();
  private Dataset bound = whole;

  private void use(String layout) {
    engine.close();
    engine = new TestEngine(dataset("main", layout(layout)));
    whole = engine.dataset();
    bound = whole.within(new SeriesBounds(RED, "{team=\"red\"}"));
    for (GroupKey key : List.of(OURS, THEIRS, NOBODYS)) {
      engine.put(key, 1000, new Value.Real(1.5));
    }
    whole
        .catalog()
        .describe(
            List.of(
                new MetricMetadata("cpu", "gauge", "", "load"),
                new MetricMetadata("secret", "gauge", "", "hidden")));
  }

  @BeforeEach
  void start() {
    use("buckets");
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private static List<Series> read(Dataset from, ReadRequest request) {
    List<Series> series = new ArrayList<>();
    try (RunCursor runs = from.read(request)) {
      for (Run run = runs.next(); run != null; run = runs.next()) {
        series.add(run.series());
      }
    }
    return series;
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "kairosdb", "opentsdb"})
  void everyQuestionIsAboutTheSeriesWithin(String layout) {
    use(layout);
    Series ours = OURS.field(Series.DEFAULT_FIELD);
    for (Selector selector : List.of(CPU, EVERY, new Selector(List.of()))) {
      assertThat(read(bound, ReadRequest.of(selector, TimeRange.ALL))).containsOnly(ours);
      assertThat(bound.catalog().series(selector, null)).containsExactly(ours);
      assertThat(bound.catalog().find(List.of(selector), null, ReadGuard.NONE).stream())
          .containsOnly(ours);
      assertThat(bound.catalog().labelNames(selector)).containsExactly("host", "team");
      assertThat(bound.catalog().labelValues("host", selector)).containsExactly("a");
    }
    Selector blue = Selector.metric("cpu", new TagFilter.Equal("team", "blue"));
    assertThat(read(bound, ReadRequest.of(blue, TimeRange.ALL))).isEmpty();
    assertThat(bound.catalog().metrics("")).containsExactly("cpu");
    assertThat(bound.catalog().firstValues(null, "", 9, ReadGuard.NONE))
        .containsExactly("a", "red");
    assertThat(bound.catalog().firstValues(Series.NAME_LABEL, "s", 9, ReadGuard.NONE)).isEmpty();
    assertThat(bound.catalog().seriesCount()).isEqualTo(1);
    Cardinality counts = bound.catalog().cardinality(9, ReadGuard.NONE);
    assertThat(counts.toString()).doesNotContain("blue").doesNotContain("secret");
    assertThat(counts.series()).isEqualTo(1);
    assertThat(counts.labelPairs()).isEqualTo(3);
    assertThat(bound.catalog().metadata(null, 9, ReadGuard.NONE))
        .extracting(MetricMetadata::metric)
        .containsExactly("cpu");
    assertThat(bound.catalog().metadata("secret", 9, ReadGuard.NONE)).isEmpty();
    assertThat(bound.explain(ReadRequest.of(CPU, TimeRange.ALL), true).toString())
        .doesNotContain("blue");
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "kairosdb", "opentsdb"})
  void aWriteOutsideIsRefusedAlone(String layout) {
    use(layout);
    BatchBuilder batch = new BatchBuilder();
    batch.add(OURS, Series.DEFAULT_FIELD, 2000, new Value.Real(2));
    batch.add(THEIRS, Series.DEFAULT_FIELD, 2000, new Value.Real(2));
    batch.add(THEIRS, Series.DEFAULT_FIELD, 3000, new Value.Real(2));
    Batch built = batch.build();
    WriteResult result = bound.write(built);
    assertThat(result.accepted()).isEqualTo(1);
    assertThat(result.refused()).isEqualTo(2);
    assertThat(result.refusedByRule()).containsEntry(BatchWithin.RULE, 2);
    FillResult filled = bound.fill(built);
    assertThat(filled.written().refusedByRule()).containsEntry(BatchWithin.RULE, 2);
    assertThat(filled.days()).extracting(day -> day.series().key()).containsOnly(OURS);
    assertThatThrownBy(() -> bound.compare(built))
        .isInstanceOf(QueryRefusedException.class)
        .hasMessageContaining("{team=\"red\"}");
    assertThatThrownBy(() -> bound.explain(built)).isInstanceOf(QueryRefusedException.class);
    assertThat(bound.handle(THEIRS, Series.DEFAULT_FIELD, Kind.DOUBLE)).isNull();
    assertThat(engine.read(ReadRequest.of(CPU, TimeRange.ALL)).get(THEIRS.field("value")))
        .hasSize(1);
    bound.catalog().describe(List.of(new MetricMetadata("secret", "counter", "", "changed")));
    assertThat(whole.catalog().metadata("secret", 1, ReadGuard.NONE).getFirst().type())
        .isEqualTo("gauge");
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "opentsdb"})
  void aDeleteTakesWhatIsWithin(String layout) {
    use(layout);
    assertThatThrownBy(() -> bound.deletes().begin(new Selector(List.of()), TimeRange.ALL))
        .isInstanceOf(QueryRefusedException.class);
    assertThat(bound.deletes().count(EVERY, TimeRange.ALL, ReadGuard.NONE).series()).isEqualTo(1);
    bound.deletes().begin(EVERY, TimeRange.ALL);
    assertThat(read(whole, ReadRequest.of(EVERY, TimeRange.ALL)))
        .containsExactlyInAnyOrder(THEIRS.field("value"), NOBODYS.field("value"));
  }

  @ParameterizedTest
  @ValueSource(strings = "buckets")
  void viewsAreEqualIfTheirBoundsAre(String layout) {
    use(layout);
    Dataset same = whole.within(new SeriesBounds(RED, "{team='red'}"));
    Dataset other = whole.within(new SeriesBounds(Selector.metric("cpu"), "cpu"));
    assertThat(Stream.of(bound, same, other, whole).distinct()).hasSize(3);
    assertThat(Set.of(whole)).contains(whole).doesNotContain(bound);
    bound.close();
    assertThat(read(bound, ReadRequest.of(CPU, TimeRange.ALL))).hasSize(1);
    assertThatThrownBy(bound::services).isInstanceOf(QueryRefusedException.class);
    assertThatThrownBy(() -> new SeriesBounds(new Selector(List.of()), "{}"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
