package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.request.PartedRead;
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
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Budget;
import dev.varve.store.ReadCost;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Series that are read together and held, to be delivered one after the other. */
class GatheredSeriesTest {
  private static final long HOUR = 3_600_000L;
  private static final long DAY = 24 * HOUR;
  private static final long START = 1_699_920_000_000L;

  /** Records the bytes held, and may refuse them. */
  private static final class Looking implements ReadGuard {
    private final long room;
    private final AtomicLong held = new AtomicLong();
    private final AtomicLong most = new AtomicLong();

    private Looking(boolean room) {
      this(room ? Long.MAX_VALUE : 0);
    }

    /**
     * @param room how many bytes may be held that the engine can do without
     */
    private Looking(long room) {
      this.room = room;
    }

    @Override
    public void ensureWanted() {}

    @Override
    public void matched(long keys) {}

    @Override
    public void held(long bytes, String what) {
      most.accumulateAndGet(held.addAndGet(bytes), Math::max);
    }

    @Override
    public boolean tryHold(long bytes) {
      boolean fits = bytes <= room - held.get();
      if (fits) {
        held(bytes, "");
      }
      return fits;
    }

    @Override
    public void released(long bytes) {
      held.addAndGet(-bytes);
    }

    @Override
    public void begun(Runnable cancel) {}

    @Override
    public void ended(Runnable cancel) {}
  }

  /** The result of a read: the pods in order, the number of samples of each, and the cost. */
  private record Read(List<String> pods, TreeMap<String, Integer> samples, ReadCost cost) {
    static Read of(RunCursor cursor) {
      List<String> pods = new ArrayList<>();
      TreeMap<String, Integer> samples = new TreeMap<>();
      TreeMap<String, Long> last = new TreeMap<>();
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        String pod = String.valueOf(run.series().key().resource().get("pod"));
        if (pods.isEmpty() || !pods.getLast().equals(pod)) {
          pods.add(pod);
        }
        for (int i = 0; i < run.samples().size(); i++) {
          long time = run.samples().time(i);
          assertThat(time).isGreaterThan(last.getOrDefault(pod, Long.MIN_VALUE));
          last.put(pod, time);
        }
        samples.merge(pod, run.samples().size(), Integer::sum);
      }
      return new Read(pods, samples, cursor.cost());
    }

    void isOf(int pods, int samplesOfEach) {
      assertThat(this.pods).hasSize(pods).isSorted();
      assertThat(samples.values()).allMatch(count -> count == samplesOfEach);
    }
  }

  private static TestEngine engine(String layout) {
    return new TestEngine(TestEngine.dataset("main", TestEngine.layout(layout)));
  }

  private static TestEngine fleet(int pods, int samples) {
    TestEngine engine = engine("server-metrics");
    for (int i = 0; i < pods; i++) {
      fill(engine, pod(Tags.EMPTY, i), START, samples);
    }
    return engine;
  }

  private static void fill(TestEngine engine, GroupKey key, long from, int samples) {
    BatchBuilder batch = new BatchBuilder();
    for (int s = 0; s < samples; s++) {
      batch.add(key, from + s * 1_000L, new Value.Real(s));
    }
    engine.write(batch.build());
  }

  private static GroupKey pod(Tags tags, int number) {
    return new GroupKey("cpu", tags, Tags.of("pod", String.format(Locale.ROOT, "p%04d", number)));
  }

  private static ReadRequest request(Selector selector, long from, long to) {
    return new ReadRequest(
        selector,
        new TimeRange(from, to),
        null,
        Versions.LATEST,
        Kinds.ONE,
        Order.SERIES_BY_SERIES,
        0,
        false,
        Budget.UNLIMITED);
  }

  private static ReadRequest all() {
    return request(Selector.metric("cpu"), START, START + DAY);
  }

  private static Read read(TestEngine engine, ReadRequest request, Looking looking) {
    try (RunCursor cursor = engine.dataset().read(request, looking)) {
      return Read.of(cursor);
    } finally {
      assertThat(looking.held).hasValue(0);
    }
  }

  @Test
  void areHeldWhereOneRangeIsCheaper() {
    try (TestEngine engine = fleet(200, 100)) {
      Looking looking = new Looking(true);
      Read read = read(engine, all(), looking);
      read.isOf(200, 100);
      assertThat(looking.most.get()).isGreaterThanOrEqualTo(200 * 100 * 16L);
      assertThat(read.cost().requests()).isLessThan(20);

      QueryExplanation explained = engine.dataset().explain(all(), true);
      assertThat(explained.reads().getFirst().plan().estimate().slices()).isEqualTo(1);
    }
  }

  /** The catalog assumes that samples are spread evenly, so it underestimates a crowded hour. */
  @Test
  void areReadAnewInTurnWhereTheyAreMoreThanExpected() {
    try (TestEngine engine = fleet(200, 3_000)) {
      for (int i = 0; i < 200; i++) {
        fill(engine, pod(Tags.EMPTY, i), START + 400 * DAY, 1);
      }
      Looking looking = new Looking(5L << 20);
      Read read = read(engine, request(Selector.metric("cpu"), START, START + HOUR), looking);
      read.isOf(200, 3_000);
      assertThat(looking.most.get()).isPositive();
      assertThat(read.cost().cellsRead()).isGreaterThan(200 * 3_000L + 200_000);
    }
  }

  /** A part is a range of rows with the samples of as many series as may be held. */
  @Test
  void areReadInPartsWhereTheyAreTooManyToHold() {
    try (TestEngine engine = fleet(300, 100)) {
      long room = 200_000;
      Looking looking = new Looking(room);
      Read read = read(engine, all(), looking);
      read.isOf(300, 100);
      assertThat(looking.most.get()).isBetween(room / 4, room);
      assertThat(read.cost().requests()).isLessThan(100);
    }
  }

  @Test
  void areReadInTurnWhereThereIsNoRoomForThem() {
    try (TestEngine engine = fleet(200, 100)) {
      Looking looking = new Looking(false);
      read(engine, all(), looking).isOf(200, 100);
      assertThat(looking.most).hasValue(0);
    }
  }

  /** Texts may have any length. */
  @Test
  void areReadInTurnWhereOneHasTexts() {
    try (TestEngine engine = fleet(200, 10)) {
      BatchBuilder text = new BatchBuilder();
      text.add(pod(Tags.EMPTY, 7), START + HOUR, new Value.Text("up"));
      engine.write(text.build());
      Looking looking = new Looking(true);
      Read read = read(engine, all(), looking);
      assertThat(read.pods()).hasSize(200).isSorted();
      assertThat(looking.most).hasValue(0);
    }
  }

  /** All keys without tags share the same tags. */
  @Test
  void areReadByThemselvesWhereTheyAreFewAmongMany() {
    try (TestEngine engine = fleet(3_000, 2)) {
      Selector some = Selector.metric("cpu", new TagFilter.Regex("pod", "p00[0-9][0-9]"));
      Read read = read(engine, request(some, START, START + DAY), new Looking(true));
      read.isOf(100, 2);
      assertThat(read.cost().cellsRead()).isLessThan(400);
    }
  }

  /** Each day has ten pods that live for one day. Pods of other days must not be counted. */
  @Test
  void countAmongThoseOfTheirTime() {
    try (TestEngine engine = engine("server-metrics")) {
      for (int i = 0; i < 400; i++) {
        fill(engine, pod(Tags.of("service", "shop"), i), START + i / 10 * DAY, 5);
      }
      for (int i = 0; i < 20; i++) {
        fill(engine, pod(Tags.of("service", "mail"), 1_000 + i), START, 5);
      }
      Selector shop = Selector.metric("cpu", new TagFilter.Equal("service", "shop"));
      ReadRequest request = request(shop, START + 3 * DAY, START + 4 * DAY);
      read(engine, request, new Looking(true)).isOf(10, 5);
      assertThat(engine.dataset().explain(request, false).reads().getFirst().plan().estimate())
          .satisfies(estimate -> {
            assertThat(estimate.slices()).isEqualTo(1);
            // Extents exceed the samples, so some pods of other days are counted, too.
            assertThat(estimate.rows()).isPresent();
            assertThat(estimate.rows().getAsLong()).isBetween(10L, 60L);
          });
    }
  }

  /** Ranges for many services still need only one cursor. */
  @Test
  void areReadByFewCursors() {
    try (TestEngine engine = engine("server-metrics")) {
      for (int day = -30; day <= 0; day++) {
        for (int i = 0; i < 200; i++) {
          fill(engine, pod(Tags.of("service", "s" + i / 2), i), START + day * DAY, 5);
        }
      }
      Read read = read(engine, all(), new Looking(true));
      assertThat(read.pods()).hasSize(200);
      assertThat(engine.dataset().explain(all(), false).reads().getFirst().plan().groups())
          .hasSize(100);
      assertThat(read.cost().requests()).isLessThan(100 + 20);
    }
  }

  @Test
  void comeOneAfterTheOtherThroughSeveralPeriods() {
    DatasetConfig one = TestEngine.dataset("main", TestEngine.layout("server-metrics"));
    Instant border = Instant.ofEpochMilli(START + DAY);
    PeriodConfig later = new PeriodConfig(border, List.of(TestEngine.layout("buckets")));
    DatasetConfig two =
        new DatasetConfig(
            one.name(),
            one.store(),
            List.of(one.periods().getFirst(), later),
            one.retention(),
            one.duplicates(),
            one.resources(),
            one.wholeTableScans());
    try (TestEngine engine = new TestEngine(two)) {
      for (int i = 0; i < 50; i++) {
        fill(engine, pod(Tags.EMPTY, i), START + DAY - 3_000, 6);
      }
      Looking looking = new Looking(true);
      Read read = read(engine, request(Selector.metric("cpu"), START, START + 2 * DAY), looking);
      read.isOf(50, 6);
      assertThat(looking.most.get()).isPositive();
    }
  }

  @Test
  void areOnePartWhereTheyAreBestReadWhole() {
    try (TestEngine engine = fleet(300, 20)) {
      Looking looking = new Looking(true);
      try (PartedRead parts = engine.dataset().readInParts(all(), looking)) {
        assertThat(parts.leastPart()).isEqualTo(parts.size());
        try (RunCursor whole = parts.part(0, parts.size())) {
          Read.of(whole).isOf(300, 20);
        }
        assertThat(parts.cost().cellsRead()).isEqualTo(300 * 20);
        try (RunCursor part = parts.part(100, 150)) {
          Read.of(part).isOf(50, 20);
        }
      }
      assertThat(looking.held).hasValue(0);
    }
    try (TestEngine engine = fleet(100, 1_000);
        PartedRead parts = engine.dataset().readInParts(all(), new Looking(100_000))) {
      assertThat(parts.leastPart()).isEqualTo(1);
      try (RunCursor whole = parts.part(0, parts.size())) {
        Read.of(whole).isOf(100, 1_000);
      }
    }
  }

  @Test
  void areLetGoOfWhenTheReadIsClosedAmidThem() {
    try (TestEngine engine = fleet(200, 100)) {
      Looking looking = new Looking(true);
      try (RunCursor cursor = engine.dataset().read(all(), looking)) {
        @Nullable Run first = cursor.next();
        assertThat(first).isNotNull();
        assertThat(looking.held.get()).isPositive();
      }
      assertThat(looking.held).hasValue(0);
    }
  }
}
