package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.catalog.SeriesBounds;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.request.Cardinality;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.usage.CardinalityDay;
import dev.varve.engine.usage.LoggedQuery;
import dev.varve.engine.usage.QueryCosts;
import dev.varve.engine.usage.QueryKind;
import dev.varve.engine.usage.QueryLog;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.CellBatch;
import dev.varve.store.Durability;
import dev.varve.store.LaterFormatException;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadCost;
import dev.varve.store.Table;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The query log and the daily cardinality, in memory and in the home. */
class QueryLogTest {
  private static final QueryKind SUM = new QueryKind("promql", "sum", 60_000);
  private static final long NOW = TestEngine.START_MICROS / 1000;
  private static final ReadCost COST = new ReadCost(2, 30, 30, 900, 900, 4);

  private static ReadRequest request(String metric, String host, long length) {
    return ReadRequest.of(
        Selector.metric(metric, new TagFilter.Equal("host", host)),
        new TimeRange(NOW - length, NOW));
  }

  private static TestEngine engine() {
    return new TestEngine(TestEngine.dataset("main", TestEngine.layout("buckets")));
  }

  @Test
  void queriesThatDifferInValuesAndByALittleInTimeAreOneKind() {
    try (TestEngine engine = engine()) {
      Dataset dataset = engine.dataset();
      dataset.usage().noteQuery(SUM, request("cpu", "a", 3_500_000), 3, 30, COST, 5);
      dataset.usage().noteQuery(SUM, request("cpu", "b", 3_400_000), 3, 30, COST, 5);
      dataset.usage().noteQuery(SUM, request("cpu", "b", 7_200_000), 3, 30, COST, 5);
      dataset
          .usage()
          .noteQuery(new QueryKind("influx", "", 0), request("cpu", "b", 5), 1, 1, COST, 1);
      List<LoggedQuery> queries = dataset.usage().queries();
      assertThat(queries).hasSize(3);
      LoggedQuery most = queries.getFirst();
      assertThat(most.costs()).isEqualTo(new QueryCosts(2, 6, 60, 8, 4, 60, 1800, 10));
      assertThat(most.example()).isEqualTo(request("cpu", "b", 0).selector());
      assertThat(most.reachMillis()).isEqualTo(3_500_000);
      assertThat(most.shape().text()).isEqualTo("promql sum of cpu{host=}, 1h up to now, step 1m");
    }
  }

  @Test
  void theHomeKeepsKindsOverRestartsAndServersAddUp() {
    TestEngine engine = engine();
    engine.dataset().usage().noteQuery(SUM, request("cpu", "a", 3_500_000), 3, 30, COST, 5);
    engine.dataset().parts().usage().write();
    engine.dataset().usage().noteQuery(SUM, request("mem", "a", 3_500_000), 3, 30, COST, 5);
    List<LoggedQuery> before = engine.dataset().usage().queries();
    engine.restart();
    assertThat(engine.dataset().usage().queries()).containsExactlyInAnyOrderElementsOf(before);
    engine.dataset().usage().noteQuery(SUM, request("cpu", "z", 3_500_000), 3, 30, COST, 5);
    engine.restart();
    assertThat(engine.dataset().usage().queries().getFirst().costs().count()).isEqualTo(2);
    engine.micros.addAndGet(Duration.ofDays(91).toNanos() / 1000);
    engine.restart();
    assertThat(engine.dataset().usage().queries()).isEmpty();
    engine.close();
  }

  @Test
  void forgetsWhatADeleteHasRemoved() throws InterruptedException {
    try (TestEngine engine = engine()) {
      for (String host : List.of("a", "b")) {
        engine.put(GroupKey.of("cpu", Tags.of("host", host)), NOW, new Value.Real(1));
      }
      engine.put(GroupKey.of("mem", Tags.of("disk", "c")), NOW, new Value.Real(1));
      engine.put(GroupKey.of("net", Tags.of("host", "b")), NOW, new Value.Real(1));
      Dataset dataset = engine.dataset();
      note(dataset, "cpu", new TagFilter.Equal("host", "a"));
      note(dataset, "cpu", new TagFilter.NotEqual("host", "a"));
      note(dataset, "cpu", new TagFilter.In("host", Set.of("a", "b")));
      note(dataset, "cpu", new TagFilter.Prefix("host", "a"));
      note(dataset, "cpu", new TagFilter.Regex("host", "a|b"));
      note(dataset, "cpu", new TagFilter.NotRegex("host", "a|b"));
      note(dataset, "net", new TagFilter.Regex("host", "b+"));
      note(dataset, "mem", new TagFilter.Has("disk"));
      dataset.parts().usage().write();
      List<String> before = names(dataset.parts().usage().days().getFirst().valuesByLabel());
      engine.micros.addAndGet(Duration.ofDays(1).toNanos() / 1000);

      delete(dataset, Selector.metric("cpu", new TagFilter.Equal("host", "a")));
      assertThat(examples(dataset)).containsExactly("", "", "", "", "", "", "mem", "net");
      delete(dataset, Selector.metric("mem"));
      assertThat(examples(dataset)).containsExactly("", "", "", "", "", "", "net");
      engine.restart();
      dataset = engine.dataset();
      assertThat(examples(dataset)).containsExactly("", "", "", "", "", "", "net");
      CardinalityDay day = dataset.parts().usage().days().getFirst();
      assertThat(day.series()).isEqualTo(4);
      assertThat(day.seriesByMetric())
          .extracting(Cardinality.Count::name)
          .containsExactlyInAnyOrder("cpu", "net");
      List<String> labels = names(day.valuesByLabel());
      assertThat(before).contains("host", "disk");
      assertThat(labels)
          .containsExactlyElementsOf(before.stream().filter(l -> !l.equals("disk")).toList());
    }
  }

  private static void note(Dataset dataset, String metric, TagFilter filter) {
    ReadRequest request =
        ReadRequest.of(Selector.metric(metric, filter), new TimeRange(NOW - 5_000, NOW));
    dataset.usage().noteQuery(SUM, request, 1, 1, COST, 1);
  }

  private static void delete(Dataset dataset, Selector selector) throws InterruptedException {
    Deletion deletion = dataset.deletes().begin(selector, TimeRange.ALL);
    assertThat(deletion.await(Duration.ofSeconds(20))).as("%s", deletion.progress()).isTrue();
  }

  private static List<String> names(List<Cardinality.Count> counts) {
    return counts.stream().map(Cardinality.Count::name).toList();
  }

  /** Returns the metrics of the examples, sorted; an empty text for each that was forgotten. */
  private static List<String> examples(Dataset dataset) {
    return dataset.usage().queries().stream()
        .map(one -> one.example().filters().isEmpty() ? "" : one.example().metric())
        .sorted()
        .toList();
  }

  @Test
  void theLeastUsedKindsGoWhenThereAreTooMany() {
    AtomicLong clock = new AtomicLong(NOW);
    QueryLog log = new QueryLog(Resolution.MILLISECONDS, 64 << 20, clock::get);
    QueryCosts costs = QueryCosts.of(1, 1, COST, 1);
    for (int i = 0; i < 50; i++) {
      log.note(SUM, request("often", "a", 60_000), costs);
    }
    for (int i = 0; i < QueryLog.KINDS_MAX + 5_000; i++) {
      log.note(SUM, request("rare_" + i, "a", 60_000), costs);
    }
    assertThat(log.size()).isBetween(QueryLog.KINDS_MAX / 2, QueryLog.KINDS_MAX);
    assertThat(log.queries().getFirst().shape().metric()).isEqualTo("often");
    clock.addAndGet(Duration.ofDays(60).toMillis());
    for (int i = 0; i < QueryLog.KINDS_MAX; i++) {
      log.note(SUM, request("new_" + i, "a", 60_000), costs);
    }
    assertThat(log.queries()).noneMatch(one -> one.shape().metric().equals("often"));
    int kinds = log.size();
    log.note(SUM, request("x".repeat(5_000), "a", 60_000), costs);
    assertThat(log.size()).isEqualTo(kinds);
    QueryLog small = new QueryLog(Resolution.MILLISECONDS, 100 << 10, clock::get);
    for (int i = 0; i < 1_000; i++) {
      small.note(SUM, request("m_" + i, "a", 60_000), costs);
    }
    assertThat(small.size()).isBetween(50, 150);
  }

  @Test
  void everyDayHasItsCardinality() {
    TestEngine engine = engine();
    engine.put(GroupKey.of("cpu", Tags.of("host", "a")), NOW, new Value.Real(1));
    engine.dataset().parts().usage().write();
    engine.micros.addAndGet(Duration.ofDays(1).toNanos() / 1000);
    engine.put(GroupKey.of("cpu", Tags.of("host", "b")), NOW, new Value.Real(1));
    engine.put(GroupKey.of("mem", Tags.of("host", "b")), NOW, new Value.Real(1));
    engine.restart();
    List<CardinalityDay> days = engine.dataset().usage().cardinalityByDay();
    assertThat(days).extracting(CardinalityDay::series).containsExactly(1L, 3L);
    assertThat(days).extracting(CardinalityDay::day).containsExactly(19675L, 19676L);
    assertThat(days.getLast().seriesByMetric())
        .containsExactly(new Cardinality.Count("cpu", 2), new Cardinality.Count("mem", 1));
    assertThat(days.getLast().valuesByLabel()).contains(new Cardinality.Count("host", 2));
    engine.micros.addAndGet(Duration.ofDays(399).toNanos() / 1000);
    engine.dataset().parts().usage().write();
    assertThat(engine.dataset().usage().cardinalityByDay())
        .hasSize(2)
        .noneMatch(day -> day.day() == 19675);
    engine.close();
  }

  /** It is neither dropped as damaged nor written over. */
  @Test
  void recordsOfALaterVersionAreRefusedByNameAndStay() {
    TestEngine engine = engine();
    engine.put(GroupKey.of("cpu", Tags.of("host", "a")), NOW, new Value.Real(1));
    engine.dataset().usage().noteQuery(SUM, request("cpu", "a", 3_500_000), 3, 30, COST, 5);
    engine.dataset().parts().usage().write();
    engine.close();
    List<Bytes> later = withLaterUsage(engine);
    assertThat(later).hasSize(2);
    assertThat(engine.dataset().usage().queries()).isEmpty();
    engine.dataset().usage().noteQuery(SUM, request("mem", "a", 3_500_000), 3, 30, COST, 5);
    engine.dataset().parts().usage().write();
    assertThatThrownBy(engine.dataset().usage()::cardinalityByDay)
        .isInstanceOf(LaterFormatException.class)
        .hasMessage(
            "table '.main.usage': the cardinality of a day has format 2, but this version reads format 1: use a later version");
    engine.close();
    try (Table usage = engine.store().openAgain(".main.usage")) {
      assertThat(values(ForeignServer.cells(usage).cells())).isEqualTo(later);
    }
  }

  /** Gives every value the next version, and returns them. */
  private static List<Bytes> withLaterUsage(TestEngine engine) {
    try (Table usage = engine.store().openAgain(".main.usage")) {
      CellBatch cells = ForeignServer.cells(usage).cells();
      MutationBatch edits = new MutationBatch();
      for (int i = 0; i < cells.size(); i++) {
        byte[] value = cells.value(i).toArray();
        value[0]++;
        edits.put(cells.row(i), 0, cells.qualifier(i), cells.time(i), Bytes.of(value));
      }
      assertThat(usage.apply(edits, Durability.SYNCED)).isEmpty();
      return values(ForeignServer.cells(usage).cells());
    }
  }

  private static List<Bytes> values(CellBatch cells) {
    return IntStream.range(0, cells.size()).mapToObj(cells::value).toList();
  }

  @Test
  void boundUsersSeeNeither() {
    try (TestEngine engine = engine()) {
      Dataset bound =
          engine
              .dataset()
              .within(
                  new SeriesBounds(
                      new Selector(List.of(new TagFilter.Equal("host", "a"))), "host=a"));
      for (Runnable question :
          List.<Runnable>of(
              bound.usage()::queries,
              bound.usage()::cardinalityByDay,
              () -> bound.usage().advise(ReadGuard.NONE))) {
        assertThatThrownBy(question::run).isInstanceOf(QueryRefusedException.class);
      }
    }
  }
}
