package dev.varve.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.dynatrace.hash4j.hashing.Hashing;
import dev.varve.engine.request.PartedRead;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.request.WriteResult;
import dev.varve.model.Batch;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.query.promql.eval.PromResult;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.Runs;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ReadCost;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Evaluation times of groups, in real time. */
class RuleSchedulerTest {
  private static RuleGroup group(String name, Duration interval, String query) {
    return new RuleGroup(
        "/tmp/site-rules.json",
        name,
        interval,
        null,
        0,
        List.of(new Rule.Recording(name, query, new TreeMap<>())));
  }

  private static RuleScheduler scheduler(RuleStore store, RuleSettings settings, int places) {
    return new RuleScheduler(
        store,
        settings,
        alerts -> {},
        (group, rule, problem, cause) -> {},
        new Semaphore(places, true),
        Clock.systemUTC());
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("time is up").isLessThan(end);
      Thread.sleep(5);
    }
  }

  @Test
  void hashesByTheSpecification() {
    assertThat(Hashing.xxh64().hashBytesToLong(new byte[0])).isEqualTo(0xEF46DB3751D8E999L);
    assertThat(Hashing.xxh64().hashBytesToLong("abc".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(0x44BC2CF5AD770999L);
  }

  @Test
  void evaluatesOftenAndEndsAtOnce() throws InterruptedException {
    MemoryStore store = new MemoryStore();
    try (RuleScheduler rules = scheduler(store, RuleSettings.DEFAULTS, 2)) {
      RuleGroup quick = group("quick", Duration.ofMillis(50), "vector(1)");
      rules.run(List.of(quick));
      await(() -> rules.groups().getFirst().counts().iterations() >= 4);
      // An unchanged group continues and keeps its counts.
      rules.run(List.of(group("quick", Duration.ofMillis(50), "vector(1)")));
      assertThat(rules.groups().getFirst().counts().iterations()).isGreaterThanOrEqualTo(4);
      rules.run(List.of(group("other", Duration.ofMinutes(9), "vector(1)")));
      assertThat(rules.groups()).extracting(s -> s.group().name()).containsExactly("other");
    }
  }

  @Test
  void aSlowRuleHoldsUpItsOwnGroupAlone() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    RuleSettings defaults = RuleSettings.DEFAULTS;
    RuleSettings quick =
        new RuleSettings(
            Duration.ZERO,
            Duration.ofMillis(300),
            defaults.promql(),
            defaults.outageTolerance(),
            defaults.forGracePeriod(),
            defaults.resendDelay(),
            defaults.externalUrl(),
            defaults.externalLabels());
    try (RuleScheduler rules = scheduler(new Hanging(never), quick, 2)) {
      rules.run(
          List.of(
              group("a", Duration.ofMillis(50), "slow"),
              group("b", Duration.ofMillis(50), "vector(1)")));
      await(() -> rules.groups().get(0).counts().missed() > 0);
      await(() ->
          rules.groups().get(1).counts().evaluations()
              > 2 * rules.groups().get(0).counts().evaluations());
      assertThat(rules.groups().get(0).rules().getFirst().error())
          .isEqualTo("the rule exceeded its timeout of 300 ms");
    }
  }

  /** Its reads only end when they are cancelled. */
  private record Hanging(CountDownLatch never) implements RuleStore, Runs {
    @Override
    public PromResult instant(
        String expression, Instant at, PromSettings settings, Consumer<QueryUse> known) {
      return MemoryStore.ask(this, expression, at, settings, known);
    }

    @Override
    public boolean holdsMarkers() {
      return false;
    }

    @Override
    public WriteResult write(Batch batch) {
      return new WriteResult(1, 0, List.of());
    }

    @Override
    public Resolution resolution() {
      return Resolution.MILLISECONDS;
    }

    @Override
    public Stream<Series> series(Selector selector, TimeRange times) {
      return Stream.of();
    }

    @Override
    public PartedRead readInParts(ReadRequest request) {
      RunCursor only = read(request);
      return new PartedRead() {
        @Override
        public int size() {
          return 1;
        }

        @Override
        public int leastPart() {
          return 1;
        }

        @Override
        public RunCursor part(int from, int to) {
          return only;
        }

        @Override
        public ReadCost cost() {
          return only.cost();
        }

        @Override
        public void cancel() {
          only.cancel();
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public RunCursor read(ReadRequest request) {
      CountDownLatch cancelled = new CountDownLatch(1);
      return new RunCursor() {
        @Override
        public Run next() {
          try {
            cancelled.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          throw new ReadCancelledException();
        }

        @Override
        public ReadCost cost() {
          return new ReadCost(0, 0, 0, 0, 0, 0);
        }

        @Override
        public void cancel() {
          cancelled.countDown();
        }

        @Override
        public void close() {}
      };
    }
  }

  /**
   * Expected: the times at which Prometheus 3.5.3 evaluated groups of this file and these names.
   */
  @Test
  void evaluatesAtTheTimesOfPrometheus() {
    Instant second = Instant.parse("2026-11-22T00:17:42.653713974Z");
    RuleGroup g = group("g", Duration.ofSeconds(1), "vector(1)");
    assertThat(g.slot(second)).isEqualTo(second);
    assertThat(g.slot(second.minusNanos(1))).isEqualTo(second.minusSeconds(1));
    assertThat(g.slot(second.plusMillis(999))).isEqualTo(second);
    Instant five = Instant.parse("2026-11-22T00:17:44.697882454Z");
    String name = "a group of a longer name, so that more is hashed";
    assertThat(group(name, Duration.ofSeconds(5), "vector(1)").slot(five.plusSeconds(4)))
        .isEqualTo(five);
  }
}
