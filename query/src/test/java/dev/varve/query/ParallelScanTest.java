package dev.varve.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.threads.Workers;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.query.limit.Memory;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.promql.eval.PromQuery;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.running.QueryUse;
import dev.varve.store.ReadCancelledException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ParallelScanTest {
  private static final long SMALL = 100;

  private final AtomicBoolean cancelled = new AtomicBoolean();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  private boolean read(int from, int to, Consumer<Integer> into) {
    threads.add(Thread.currentThread());
    most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
    try {
      for (int i = from; i < to; i++) {
        if (cancelled.get()) {
          throw new ReadCancelledException();
        }
        Thread.sleep(0, 20_000);
        into.accept(i);
      }
      return true;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      underWay.decrementAndGet();
    }
  }

  private ParallelScan<Integer> scan(
      int series, int readers, long bytes, ParallelScan.Reader<Integer> reader) {
    return scan(series, 1, readers, bytes, reader);
  }

  private ParallelScan<Integer> scan(
      int series, int least, int readers, long bytes, ParallelScan.Reader<Integer> reader) {
    return new ParallelScan<>(
        series, least, readers, bytes, new Memory(1 << 30), () -> cancelled.set(true), reader);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 2, 100",
    "1, 2, 100",
    "63, 4, 100",
    "64, 4, 100",
    "1000, 2, 100",
    "1001, 3, 100",
    "777, 4, 3000000",
    "100, 2, 90000000"
  })
  void handsOnInTheOrderOfTheSeries(int series, int readers, long bytes) {
    List<Integer> seen = new ArrayList<>();
    scan(series, readers, bytes, this::read).run(seen::add);
    assertThat(seen).isEqualTo(IntStream.range(0, series).boxed().toList());
    assertThat(most.get()).isLessThanOrEqualTo(Math.max(readers, 1));
    assertThat(underWay.get()).isZero();
  }

  @Test
  void makesNoPartSmallerThanItIsWorth() {
    List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
    scan(
            1000,
            256,
            4,
            SMALL,
            (from, to, into) -> {
              sizes.add(to - from);
              return read(from, to, into);
            })
        .run(i -> {});
    assertThat(sizes).containsExactlyInAnyOrder(256, 256, 256, 232);
    threads.clear();
    scan(256, 256, 4, SMALL, this::read).run(i -> {});
    scan(1000, 256, 4, 1 << 20, this::read).run(i -> {});
    assertThat(threads).containsExactly(Thread.currentThread());
    scan(1000, 256, 4, 16 << 10, this::read).run(i -> {});
    assertThat(threads).hasSizeGreaterThan(1);
  }

  @Test
  void readsFewSeriesByTheThreadOfTheQuery() {
    scan(60, 4, SMALL, this::read).run(i -> {});
    assertThat(threads).containsExactly(Thread.currentThread());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5, 500, 999})
  void endsWithTheErrorOfAnyReaderAndLeavesNobodyBehind(int bad) {
    ParallelScan.Reader<Integer> failing =
        (from, to, into) -> {
          read(from, Math.clamp(bad, from, to), into);
          if (bad >= from && bad < to) {
            throw new IllegalStateException("series " + bad);
          }
          return true;
        };
    assertThatThrownBy(() -> scan(1000, 3, SMALL, failing).run(i -> {}))
        .hasMessage("series " + bad);
    assertThat(underWay.get()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5, 500, 999})
  void endsWhereAReaderEndsIt(int last) {
    ParallelScan.Reader<Integer> ending =
        (from, to, into) -> {
          read(from, Math.clamp(last + 1L, from, to), into);
          return last < from || last >= to;
        };
    List<Integer> seen = new ArrayList<>();
    assertThat(scan(1000, 3, SMALL, ending).run(seen::add)).isFalse();
    assertThat(seen).isEqualTo(IntStream.rangeClosed(0, last).boxed().toList());
    assertThat(underWay.get()).isZero();
  }

  @Test
  void endsWithTheErrorOfWhoTakesTheRows() {
    assertThatThrownBy(() ->
            scan(1000, 3, SMALL, this::read)
                .run(i -> {
                  if (i == 300) {
                    throw new IllegalStateException("full");
                  }
                }))
        .hasMessage("full");
    assertThat(underWay.get()).isZero();
    assertThat(cancelled).isTrue();
  }

  @Test
  void getsOnWhereEveryWorkerIsBusy() throws InterruptedException {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(Workers.count());
    for (int i = 0; i < Workers.count(); i++) {
      Workers.offer(() -> {
        begun.countDown();
        try {
          release.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      });
    }
    try {
      assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
      AtomicInteger rows = new AtomicInteger();
      scan(500, 2, SMALL, this::read).run(i -> rows.incrementAndGet());
      assertThat(rows.get()).isEqualTo(500);
      assertThat(threads).containsExactly(Thread.currentThread());
    } finally {
      release.countDown();
    }
  }

  private static PromQuery query(String text, MemoryRuns runs, QueryLimits limits, int readers) {
    return new PromQuery(text, runs, QueryUse.of(limits), PromSettings.DEFAULTS, readers);
  }

  private static MemoryRuns manySeries() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    for (int i = 0; i < 400; i++) {
      for (int s = 0; s < 40; s++) {
        runs.add(
            GroupKey.of("x_total", Tags.of("job", "j" + i % 7, "i", "" + i)).field("value"),
            s * 15_000L,
            new Value.Real(s * i % 13 + 0.1 * i));
      }
    }
    return runs;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sum by (job) (rate(x_total[2m]))",
        "stddev(x_total)",
        "x_total / x_total offset 1m",
        "topk(3, max_over_time(x_total[1m]))",
        "sum(x_total) + on () count(avg_over_time(x_total[3m]))"
      })
  void givesTheSameToTheLastBitHoweverManyRead(String text) {
    MemoryRuns runs = manySeries();
    PromQuery one = query(text, runs, QueryLimits.DEFAULTS, 1);
    PromQuery several = query(text, runs, QueryLimits.DEFAULTS, 4);
    assertThat(several.range(0, 600_000, Duration.ofSeconds(30)))
        .usingRecursiveComparison()
        .withEqualsForType(Arrays::equals, double[].class)
        .isEqualTo(one.range(0, 600_000, Duration.ofSeconds(30)));
    assertThat(several.samplesRead()).isEqualTo(one.samplesRead());
  }

  @Test
  void refusesTooManySamplesWhoeverReadsThem() {
    QueryLimits all = QueryLimits.DEFAULTS;
    QueryLimits limits =
        new QueryLimits(
            all.series(),
            10_000,
            all.memory(),
            all.points(),
            all.steps(),
            all.time(),
            all.cells(),
            all.bytes());
    PromQuery query = query("sum(count_over_time(x_total[10m]))", manySeries(), limits, 3);
    assertThatThrownBy(() -> query.instant(600_000))
        .hasMessageContaining("more samples than the limit of 10,000");
  }
}
