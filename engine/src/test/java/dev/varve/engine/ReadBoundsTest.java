package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.write.BatchBudget;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Memory limits, cancellation and failures of reads. */
class ReadBoundsTest {
  private static final ReadRequest ALL = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);

  private static TestEngine engine(String layout, UnaryOperator<CellCursor> cursors) {
    return new TestEngine(TestEngine.dataset("main", TestEngine.layout(layout)))
        .around(store -> new WatchedStore(store, cursors));
  }

  /** Writes the same number of samples to several series, one per second. */
  private static void fill(TestEngine engine, int series, int samples) {
    for (int s = 0; s < series; s++) {
      BatchBuilder batch = new BatchBuilder();
      GroupKey key = GroupKey.of("m", Tags.of("host", "h" + s));
      for (int i = 0; i < samples; i++) {
        batch.add(key, 1_699_999_200_000L + 1000L * i, new Value.Real(i));
      }
      assertThat(engine.write(batch.build()).refused()).isZero();
    }
  }

  /**
   * Rows of 86,400 cells, or of one: cells pulled but not yet delivered never exceed a few pages,
   * however much is read.
   */
  @ParameterizedTest
  @CsvSource({
    "buckets, TIME_WITHIN_SERIES, 3, 150000",
    "buckets, SERIES_BY_SERIES, 3, 150000",
    "heroic, TIME_WITHIN_SERIES, 2, 150000",
    "tall-narrow, TIME_WITHIN_SERIES, 2, 100000",
    "salted, TIME_WITHIN_SERIES, 2, 150000"
  })
  void holdsNoMoreThanSomePages(String layout, Order order, int series, int samples) {
    AtomicLong pulled = new AtomicLong();
    UnaryOperator<CellCursor> counting =
        cursor ->
            new CursorAround(cursor) {
              @Override
              public boolean next(CellBatch into) {
                boolean more = cursor.next(into);
                pulled.addAndGet(into.size());
                return more;
              }
            };
    try (TestEngine engine = engine(layout, counting)) {
      fill(engine, series, samples);
      pulled.set(0);
      long given = 0;
      long most = 0;
      try (RunCursor runs = engine.dataset().read(ordered(order))) {
        for (Run run = runs.next(); run != null; run = runs.next()) {
          most = Math.max(most, pulled.get() - given);
          given += run.samples().size();
        }
      }

      assertThat(given).isEqualTo((long) series * samples);
      assertThat(most).isLessThan(40_000);
    }
  }

  private static ReadRequest ordered(Order order) {
    return new ReadRequest(
        ALL.selector(),
        ALL.times(),
        null,
        ALL.versions(),
        ALL.kinds(),
        order,
        0,
        false,
        ALL.budget());
  }

  @Test
  void endsSoonAfterItIsCancelled() throws InterruptedException, ExecutionException {
    UnaryOperator<CellCursor> endless =
        cursor ->
            new CursorAround(cursor) {
              private boolean filled;

              @Override
              public boolean next(CellBatch into) {
                // Repeats the same page forever, so only a cancel can end the read.
                filled = filled || cursor.next(into);
                return filled;
              }
            };
    try (TestEngine engine = engine("buckets", endless)) {
      engine.around(store -> store);
      fill(engine, 1, 10_000);
      engine.restart();
      engine.around(store -> new WatchedStore(store, endless));
      long best = Long.MAX_VALUE;
      for (int round = 0; round < 5; round++) {
        best = Math.min(best, nanosUntilCancelled(engine));
      }
      assertThat(best).isLessThan(TimeUnit.MILLISECONDS.toNanos(100));
    }
  }

  /** Measures how long a read continues after it is cancelled. A busy machine may add to that. */
  private static long nanosUntilCancelled(TestEngine engine)
      throws InterruptedException, ExecutionException {
    CompletableFuture<Long> cancelled = new CompletableFuture<>();
    try (RunCursor runs = read(engine)) {
      Thread.ofVirtual()
          .start(() -> {
            try {
              Thread.sleep(100);
            } catch (InterruptedException e) {
              cancelled.completeExceptionally(e);
            }
            cancelled.complete(System.nanoTime());
            runs.cancel();
          });

      assertThatThrownBy(() -> drain(runs)).isInstanceOf(ReadCancelledException.class);
      long nanos = System.nanoTime() - cancelled.get();
      assertThatThrownBy(runs::next).isInstanceOf(ReadCancelledException.class);
      return nanos;
    }
  }

  private static RunCursor read(TestEngine engine) {
    return engine.dataset().read(ALL);
  }

  private static void drain(RunCursor runs) {
    while (runs.next() != null) {
      // Only the end of the read matters.
    }
  }

  @Test
  void handsOutWhatAStoreFailsWith() {
    AtomicLong pages = new AtomicLong();
    UnaryOperator<CellCursor> failing =
        cursor ->
            new CursorAround(cursor) {
              @Override
              public boolean next(CellBatch into) {
                if (pages.incrementAndGet() > 3) {
                  throw new StoreException("disk 7 is on fire");
                }
                return cursor.next(into);
              }
            };
    try (TestEngine engine = engine("buckets", cursor -> cursor)) {
      fill(engine, 1, 50_000);
      engine.restart();
      engine.around(store -> new WatchedStore(store, failing));
      engine.dataset();
      pages.set(0);

      try (RunCursor runs = read(engine)) {
        assertThatThrownBy(() -> drain(runs))
            .isInstanceOf(StoreException.class)
            .hasMessage("disk 7 is on fire");
      }
    }
  }

  @Test
  void closesEveryCursorThatItOpened() {
    AtomicLong open = new AtomicLong();
    UnaryOperator<CellCursor> counting =
        cursor -> {
          open.incrementAndGet();
          return new CursorAround(cursor) {
            private boolean closed;

            @Override
            public void close() {
              if (!closed) {
                closed = true;
                open.decrementAndGet();
              }
              super.close();
            }
          };
        };
    try (TestEngine engine = engine("salted", counting)) {
      fill(engine, 5, 100);
      long before = open.get();
      try (RunCursor runs = read(engine)) {
        assertThat(runs.next()).isNotNull();
      }
      assertThat(open.get()).isEqualTo(before);
      try (RunCursor runs = read(engine)) {
        drain(runs);
        assertThat(runs.cost().cellsRead()).isEqualTo(500);
      }
      assertThat(open.get()).isEqualTo(before);
    }
  }

  @Test
  void refusesWritesWhenTooManyAreUnderWay() {
    BatchBudget admission = new BatchBudget(10_000);
    int first = admission.enter(9_000);

    assertThatThrownBy(() -> admission.enter(5_000))
        .isInstanceOfSatisfying(
            OverloadedException.class, e -> assertThat(e.retryAfter()).isGreaterThan(Duration.ZERO))
        .hasMessageContaining("9,216 bytes of writes are under way");
    admission.leave(first);
    int whole = admission.enter(1_000_000);
    assertThat(admission.bytesUnderWay()).isEqualTo(9 * 1024);
    admission.leave(whole);
    assertThat(admission.bytesUnderWay()).isZero();
  }
}
