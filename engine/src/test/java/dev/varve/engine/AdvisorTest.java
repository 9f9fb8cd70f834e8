package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.advice.Advice;
import dev.varve.engine.advice.Advice.ReadCosts;
import dev.varve.engine.advice.Advice.Verdict;
import dev.varve.engine.advice.Rule;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.usage.QueryKind;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.store.Budget;
import dev.varve.store.Capabilities;
import dev.varve.store.Capabilities.RowOrder;
import dev.varve.store.ReadCost;
import dev.varve.store.Store;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The advisor on workloads of which the right answer is known. Each proposal is applied: the same
 * samples are written into the proposed layouts, the same queries are asked, and what they read is
 * compared with the prediction.
 */
class AdvisorTest {
  private static final long SECOND = 1_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  /** The end of all samples: a full hour at which the clock stands. */
  private static final long NOW = Math.floorDiv(TestEngine.START_MICROS / 1000, HOUR) * HOUR;

  private static final QueryKind KIND = new QueryKind("test", "", 0);

  private final List<TestEngine> engines = new ArrayList<>();

  /** A series and the distance of its samples. */
  private record Line(GroupKey key, long from, long step) {}

  private record Asked(ReadRequest request, int times) {}

  private record Case(List<Line> lines, List<Asked> queries, UnaryOperator<Store> around) {
    /** On several machines, where blocks are not to be had. */
    Case(List<Line> lines, List<Asked> queries) {
      this(lines, queries, AdvisorTest::shared);
    }
  }

  @AfterEach
  void close() {
    engines.forEach(TestEngine::close);
  }

  private TestEngine engine(Case of, List<? extends StorageLayout> layouts) {
    TestEngine engine =
        new TestEngine(TestEngine.dataset("main", layouts.toArray(StorageLayout[]::new)))
            .around(of.around());
    engine.micros.set(NOW * 1000);
    engines.add(engine);
    for (Line line : of.lines()) {
      BatchBuilder batch = new BatchBuilder();
      for (long time = line.from(); time < NOW; time += line.step()) {
        batch.group(line.key()).add("value", time, time / 7.0);
      }
      assertThat(engine.write(batch.build()).rejections()).isEmpty();
    }
    return engine;
  }

  /** Asks all queries, as often as they are asked, and returns their mean cost. */
  private static ReadCosts ask(Dataset dataset, List<Asked> queries) {
    double count = 0;
    double requests = 0;
    double rows = 0;
    double cells = 0;
    double bytes = 0;
    for (Asked asked : queries) {
      ReadCost cost = cost(dataset, asked.request());
      for (int i = 0; i < asked.times(); i++) {
        dataset.usage().noteQuery(KIND, asked.request(), 1, 1, cost, 1);
      }
      count += asked.times();
      rows += asked.times() * (double) cost.rows();
      cells += asked.times() * (double) cost.cellsRead();
      bytes += asked.times() * (double) cost.bytesRead();
      requests += asked.times() * slices(dataset, asked.request());
    }
    return new ReadCosts(requests / count, rows / count, cells / count, bytes / count, 0);
  }

  private static ReadCost cost(Dataset dataset, ReadRequest request) {
    try (RunCursor runs = dataset.read(request)) {
      while (runs.next() != null) {
        // Only the cost matters.
      }
      return runs.cost();
    }
  }

  private static double slices(Dataset dataset, ReadRequest request) {
    return dataset.explain(request, false).reads().stream()
        .mapToDouble(read -> read.plan().estimate().slices())
        .sum();
  }

  private static Asked asked(
      int times, TimeRange range, int newest, String metric, String... tags) {
    List<TagFilter> filters = new ArrayList<>();
    for (int i = 0; i < tags.length; i += 2) {
      filters.add(new TagFilter.Equal(tags[i], tags[i + 1]));
    }
    return new Asked(
        new ReadRequest(
            Selector.metric(metric, filters.toArray(TagFilter[]::new)),
            range,
            null,
            Versions.LATEST,
            Kinds.ONE,
            Order.TIME_WITHIN_SERIES,
            newest,
            false,
            Budget.UNLIMITED),
        times);
  }

  private static TimeRange last(long length) {
    return new TimeRange(NOW - length, NOW);
  }

  /** Returns the advice for a layout, after the queries were asked. */
  private Advice advice(Case of, List<? extends StorageLayout> layouts) {
    TestEngine engine = engine(of, layouts);
    ask(engine.dataset(), of.queries());
    return engine.dataset().usage().advise(ReadGuard.NONE);
  }

  private static Advice.Proposal proposal(Advice advice) {
    return Objects.requireNonNull(advice.proposal(), advice::toString);
  }

  private static List<Rule> rules(Advice advice) {
    return advice.reasons().stream().map(Advice.Reason::rule).toList();
  }

  /**
   * Puts the proposal to use and compares costs with the prediction: each within a factor of two,
   * and the present ones as well.
   */
  private Advice applied(Case of, List<? extends StorageLayout> layouts) {
    TestEngine before = engine(of, layouts);
    ReadCosts then = ask(before.dataset(), of.queries());
    Advice advice = before.dataset().usage().advise(ReadGuard.NONE);
    assertThat(advice.missing()).noneMatch(text -> text.contains("queries"));
    List<StorageLayout> proposed = new ArrayList<>();
    for (Advice.ProposedLayout layout : proposal(advice).layouts()) {
      String declared = layout.yaml();
      proposed.addAll(Layouts.stored(declared == null ? layout.name() : declared, Map.of()));
    }
    TestEngine after = engine(of, proposed);
    after.seal();
    ReadCosts now = ask(after.dataset(), of.queries());
    compare("present", advice.read(), then, advice);
    compare("proposed", proposal(advice).read(), now, advice);
    return advice;
  }

  private static void compare(String what, ReadCosts predicted, ReadCosts measured, Advice advice) {
    Supplier<String> text =
        () -> "%s: predicted %s, measured %s%n%s".formatted(what, predicted, measured, advice);
    assertThat(predicted.requests())
        .as(text)
        .isBetween(measured.requests() / 2, measured.requests() * 2);
    assertThat(predicted.rows()).as(text).isBetween(measured.rows() / 2, measured.rows() * 2);
    assertThat(predicted.cells()).as(text).isBetween(measured.cells() / 2, measured.cells() * 2);
    assertThat(predicted.bytes()).as(text).isBetween(measured.bytes() / 2, measured.bytes() * 2);
  }

  private static List<StorageLayout> layout(String yaml) {
    return Layouts.stored(yaml, Map.of());
  }

  private static String declared(String... key) {
    StringBuilder yaml = new StringBuilder("layout: mine\nkey:\n");
    for (String part : key) {
      yaml.append("  - ").append(part).append('\n');
    }
    boolean instants = List.of(key).contains("time");
    return yaml.append("families:\n  d:\n    qualifier: ")
        .append(instants ? "[field]" : "[offset, field]")
        .append('\n')
        .toString();
  }

  private static List<Line> hosts(int hosts, long length, long step) {
    List<Line> lines = new ArrayList<>();
    for (int host = 0; host < hosts; host++) {
      lines.add(
          new Line(
              GroupKey.of("cpu", Tags.of("host", "host-%03d".formatted(host))),
              NOW - length,
              step));
    }
    return lines;
  }

  @Test
  void promotesTheSeriesBeforeALeadingTime() {
    Case of =
        new Case(
            hosts(40, DAY, 5 * MINUTE),
            List.of(asked(20, last(6 * HOUR), 0, "cpu", "host", "host-007")));
    Advice advice =
        applied(of, layout(declared("bucket: 1h", "metric", "tags") + "allow: [time-leads-key]\n"));
    assertThat(advice.verdict()).isEqualTo(Verdict.CHANGE);
    assertThat(rules(advice).getFirst()).isEqualTo(Rule.TIME_FIRST);
    assertThat(advice.write().hottest()).isEqualTo(1);
    assertThat(proposal(advice).write().hottest()).isLessThan(0.1);
    assertThat(proposal(advice).layouts().getFirst().key()).startsWith("metric");
    assertThat(proposal(advice).read().requests()).isLessThan(advice.read().requests());
  }

  @Test
  void narrowsBucketsThatAreMuchWiderThanQueries() {
    Case of =
        new Case(hosts(8, 20 * DAY, 15 * MINUTE), List.of(asked(50, last(2 * HOUR), 0, "cpu")));
    String yaml = declared("metric", "tags", "bucket: 30d");
    Advice advice = applied(of, layout(yaml.replace("[offset, field]", "[field, offset]")));
    assertThat(advice.verdict()).isEqualTo(Verdict.CHANGE);
    assertThat(rules(advice)).contains(Rule.WIDE_BUCKETS);
    assertThat(proposal(advice).read().cells()).isLessThan(advice.read().cells() / 3);
  }

  @Test
  void widensBucketsOfWhichAQueryReadsMany() {
    Case of =
        new Case(
            hosts(6, 2 * DAY, MINUTE), List.of(asked(50, last(DAY), 0, "cpu", "host", "host-003")));
    Advice advice = applied(of, layout(declared("metric", "tags", "bucket: 1m")));
    assertThat(advice.verdict()).isEqualTo(Verdict.CHANGE);
    assertThat(rules(advice)).containsExactly(Rule.NARROW_BUCKETS);
    assertThat(proposal(advice).read().rows()).isLessThan(advice.read().rows() / 10);
  }

  private static List<Line> requests(int users, int services, long length, long step) {
    List<Line> lines = new ArrayList<>();
    for (int user = 0; user < users; user++) {
      lines.add(
          new Line(
              GroupKey.of(
                  "calls",
                  Tags.of(
                      "auser", "user-%04d".formatted(user * 7919 % users),
                      "service", "service-%d".formatted(user % services))),
              NOW - length,
              step));
    }
    return lines;
  }

  @Test
  void putsTheBoundLabelBeforeOneOfManyValues() {
    Case of =
        new Case(
            requests(400, 10, 6 * HOUR, 10 * MINUTE),
            List.of(asked(30, last(6 * HOUR), 0, "calls", "service", "service-3")));
    Advice advice = applied(of, layout(declared("metric", "tags", "bucket: 6h")));
    assertThat(advice.verdict()).isEqualTo(Verdict.CHANGE);
    assertThat(rules(advice)).contains(Rule.LABEL_ORDER);
    assertThat(proposal(advice).layouts().getFirst().key()).startsWith("metric, tag service");
    assertThat(proposal(advice).read().requests()).isEqualTo(1);
  }

  @Test
  void givesReadersOfTheNewestSamplesRowsOfTheirOwn() {
    Case of =
        new Case(
            hosts(6, 2 * DAY, MINUTE),
            List.of(
                asked(90, last(DAY), 1, "cpu", "host", "host-003"),
                asked(2, last(HOUR), 0, "cpu", "host", "host-003")));
    Advice advice = applied(of, layout(declared("metric", "tags", "bucket: 1d")));
    assertThat(advice.verdict()).isEqualTo(Verdict.CHANGE);
    assertThat(rules(advice)).contains(Rule.NEWEST_FIRST, Rule.WIDE_BUCKETS);
    assertThat(proposal(advice).read().cells()).isLessThan(advice.read().cells() / 5);
  }

  @Test
  void addsACompanionForTwoQueriesThatMatterAlike() {
    List<Line> lines = new ArrayList<>();
    for (int host = 0; host < 30; host++) {
      for (int app = 0; app < 20; app++) {
        lines.add(
            new Line(
                GroupKey.of(
                    "load",
                    Tags.of("app", "app-%02d".formatted(app), "host", "host-%02d".formatted(host))),
                NOW - 6 * HOUR,
                30 * MINUTE));
      }
    }
    Case of =
        new Case(
            lines,
            List.of(
                asked(50, last(6 * HOUR), 0, "load", "host", "host-07"),
                asked(50, last(6 * HOUR), 0, "load", "app", "app-11")));
    Advice advice = applied(of, layout(declared("metric", "tags", "bucket: 6h")));
    assertThat(advice.verdict()).isEqualTo(Verdict.COMPANION);
    assertThat(rules(advice)).contains(Rule.COMPANION);
    assertThat(proposal(advice).layouts()).hasSize(2);
    assertThat(proposal(advice).write().cells()).isEqualTo(2);
  }

  /** A store that spreads partitions by hash, as Cassandra does. */
  private static Store hashed(Store store) {
    return new StoreAround(store) {
      @Override
      public Capabilities capabilities(TableSpec spec) {
        Capabilities all = store.capabilities(spec);
        return new Capabilities(
            all.cellTimes(), all.deletes(), RowOrder.PARTITION, all.limits(), all.powers());
      }

      @Override
      public boolean isEmbedded() {
        return false;
      }
    };
  }

  @Test
  void takesBucketsInPlaceOfTallRowsWherePartitionsAreHashed() {
    Case of =
        new Case(
            hosts(6, 2 * DAY, MINUTE),
            List.of(asked(50, last(6 * HOUR), 0, "cpu", "host", "host-003")),
            AdvisorTest::hashed);
    Advice advice = applied(of, layout(declared("metric", "tags", "time")));
    assertThat(advice.verdict()).isEqualTo(Verdict.CHANGE);
    assertThat(rules(advice).getFirst()).isEqualTo(Rule.TALL_ROWS);
    assertThat(proposal(advice).layouts().getFirst().key()).contains("bucket");
    assertThat(proposal(advice).read().rows()).isLessThan(advice.read().rows() / 10);
  }

  /** A store whose rows several machines share by their order, as HBase and Bigtable do. */
  private static Store shared(Store store) {
    return new StoreAround(store) {
      @Override
      public boolean isEmbedded() {
        return false;
      }
    };
  }

  @Test
  void spreadsTheWritesOfOneMetricOverSeveralMachines() {
    Case of =
        new Case(
            hosts(40, DAY, 5 * MINUTE),
            List.of(asked(20, last(6 * HOUR), 0, "cpu", "host", "host-007")),
            AdvisorTest::shared);
    Advice advice = applied(of, layout(declared("metric", "bucket: 6h", "tags")));
    assertThat(advice.verdict()).isEqualTo(Verdict.CHANGE);
    assertThat(rules(advice).getFirst()).isEqualTo(Rule.HOT_PREFIX);
    assertThat(advice.write().hottest()).isEqualTo(1);
    assertThat(proposal(advice).write().hottest()).isLessThan(0.1);
  }

  @Test
  void keepsALayoutThatIsRight() {
    Case of =
        new Case(
            hosts(6, 2 * DAY, MINUTE),
            List.of(
                asked(50, last(6 * HOUR), 0, "cpu", "host", "host-003"),
                asked(5, last(DAY), 0, "cpu", "host", "host-005")));
    Advice advice = advice(of, layout(declared("metric", "tags", "bucket: 6h")));
    assertThat(advice.verdict()).as("%s", advice).isEqualTo(Verdict.KEEP);
    assertThat(rules(advice)).containsExactly(Rule.KEEP);
    assertThat(advice.proposal()).isNull();
    assertThat(advice.reasons().getFirst().text()).startsWith("Keep it.");
  }

  private static Case inOneProcess(List<Line> lines, Asked... queries) {
    return new Case(lines, List.of(queries), UnaryOperator.identity());
  }

  @Test
  void packsCellsIntoBlocksOnOneMachine() {
    Case of =
        inOneProcess(
            hosts(6, 3 * DAY, MINUTE),
            asked(50, last(6 * HOUR), 0, "cpu", "host", "host-003"),
            asked(20, last(2 * DAY), 0, "cpu"));
    Advice advice = applied(of, layout(declared("metric", "tags", "bucket: 6h")));
    assertThat(advice.verdict()).isEqualTo(Verdict.CHANGE);
    assertThat(rules(advice)).containsExactly(Rule.BLOCKS);
    assertThat(proposal(advice).layouts().getFirst().name()).isEqualTo("blocks");
    assertThat(proposal(advice).write().bytes()).isLessThan(advice.write().bytes() / 10);
    assertThat(proposal(advice).read().cells()).isLessThan(advice.read().cells() / 100);
    assertThat(proposal(advice).commands().getFirst().text())
        .contains("main:", "from: 2023-11-15T00:00:00Z, layout: blocks");
    assertThat(proposal(advice).commands().getLast().text())
        .isEqualTo("varve compact --into blocks --dataset main");
  }

  @Test
  void leavesSamplesOfDaysApartInCells() {
    Case of =
        inOneProcess(hosts(6, 60 * DAY, 2 * DAY), asked(50, last(DAY), 0, "cpu", "host", "host-3"));
    Advice advice = advice(of, layout(declared("metric", "tags", "bucket: 30d")));
    assertThat(rules(advice)).doesNotContain(Rule.BLOCKS);
  }

  @Test
  void saysWhyCellsCannotBecomeBlocks() {
    List<Line> lines = hosts(6, DAY, MINUTE);
    Asked asked = asked(50, last(6 * HOUR), 0, "cpu", "host", "host-003");
    String plain = declared("metric", "tags", "bucket: 6h");
    Advice versions =
        advice(
            inOneProcess(lines, asked),
            layout(plain.replace("\n    qualifier", "\n    versions: 3\n    qualifier")));
    assertThat(versions.reasons().getLast().text()).contains("earlier versions of samples");
    List<StorageLayout> pair = new ArrayList<>(layout(plain));
    pair.addAll(layout(plain.replace("layout: mine", "layout: other")));
    Advice companion = advice(inOneProcess(lines, asked), pair);
    assertThat(companion.reasons().getLast().text()).contains("its companion 'other'");
    Advice attributes = advice(inOneProcess(lines, asked), Layouts.stored("entity", Map.of()));
    assertThat(rules(attributes)).contains(Rule.BLOCKS);
    assertThat(attributes.reasons().getLast().text()).contains("keeps attributes");
    for (Advice advice : List.of(versions, companion, attributes)) {
      assertThat(advice.proposal() == null ? List.of() : proposal(advice).layouts())
          .noneMatch(layout -> layout.toString().contains("name=blocks"));
    }
  }

  @Test
  void keepsBlocks() {
    Advice advice =
        advice(
            inOneProcess(hosts(3, DAY, MINUTE), asked(50, last(HOUR), 0, "cpu")),
            Layouts.stored("blocks", Map.of()));
    assertThat(advice.verdict()).isEqualTo(Verdict.KEEP);
    assertThat(advice.proposal()).isNull();
    assertThat(advice.reasons().getFirst().text()).endsWith("Keep it.");
  }

  @Test
  void keepsBlocksAndNamesWhatIsMissing() {
    Case of = inOneProcess(hosts(3, HOUR, MINUTE));
    Advice advice = advice(of, Layouts.stored("blocks", Map.of()));
    assertThat(advice.verdict()).isEqualTo(Verdict.UNKNOWN);
    assertThat(advice.missing()).anyMatch(text -> text.startsWith("no queries recorded yet"));
    Advice empty =
        advice(new Case(List.of(), List.of()), layout(declared("metric", "tags", "bucket: 6h")));
    assertThat(empty.verdict()).isEqualTo(Verdict.UNKNOWN);
    assertThat(empty.missing())
        .anyMatch(text -> text.startsWith("no samples"))
        .anyMatch(text -> text.startsWith("no queries recorded yet"));
  }

  @Test
  void theStepsDeclareAPeriodWithTheProposal() {
    Case of =
        new Case(
            hosts(4, DAY, MINUTE), List.of(asked(50, last(DAY), 0, "cpu", "host", "host-003")));
    Advice advice = advice(of, layout(declared("metric", "tags", "bucket: 1m")));
    Advice.Proposal proposal = proposal(advice);
    assertThat(proposal.commands()).hasSize(3);
    assertThat(proposal.commands().get(1).text())
        .contains("main:", "periods:", "from: 2023-11-15T00:00:00Z, layout: mine-2.yaml");
    assertThat(proposal.commands().get(2).text())
        .contains("varve migrate --source-dataset main --dataset main-2");
  }
}
