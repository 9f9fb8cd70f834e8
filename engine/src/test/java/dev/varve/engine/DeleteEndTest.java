package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.progress.Deletion;
import dev.varve.engine.progress.DeletionProgress.State;
import dev.varve.engine.request.ReadRequest;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Power;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What is written once the record of a delete is gone stays, and the delete ends. */
class DeleteEndTest {
  private static final long START = 1_699_999_200_000L;
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));
  private static final Selector ALL = Selector.metric("m");

  private final AtomicBoolean failing = new AtomicBoolean(true);
  private final CountDownLatch failed = new CountDownLatch(1);

  /** Counted down once a job has removed its samples and rewrites the files of their table. */
  private final CountDownLatch removed = new CountDownLatch(1);

  /** The job waits for it then. */
  private final CountDownLatch goOn = new CountDownLatch(1);

  private final class FullDisk extends StoreAround {
    FullDisk(Store store) {
      super(store);
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      Table table = super.open(spec, mode);
      if (spec.name().endsWith(".deletes")) {
        return new Reclaiming(table, this::fail);
      }
      return spec.name().startsWith(".") ? table : new Reclaiming(table, this::hold);
    }

    private void fail() {
      if (failing.getAndSet(false)) {
        failed.countDown();
        throw new StoreException("rocksdb: No space left on device");
      }
    }

    private void hold() {
      removed.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static final class Reclaiming extends TableAround {
    private final Runnable action;

    Reclaiming(Table table, Runnable action) {
      super(table);
      this.action = action;
    }

    @Override
    public <P extends Power> Optional<P> power(Class<P> power) {
      if (power != Power.Reclaim.class) {
        return super.power(power);
      }
      Power.Reclaim reclaim = (from, to) -> action.run();
      return Optional.of(power.cast(reclaim));
    }
  }

  @Test
  void aCancelledDeleteEndsOnceItsRecordCanBeReclaimed() throws Exception {
    try (TestEngine engine =
        new TestEngine(TestEngine.dataset("main", TestEngine.layout("buckets")))
            .around(FullDisk::new)) {
      engine.put(KEY, START, new Value.Real(1));
      // The thread of deletes looks twice at the first one. Later it waits for the next one.
      failing.set(false);
      for (int i = 0; i < 2; i++) {
        Deletion earlier =
            engine.dataset().deletes().begin(Selector.metric("other"), TimeRange.ALL);
        assertThat(earlier.await(Duration.ofSeconds(20))).isTrue();
      }
      failing.set(true);
      Deletion deletion = engine.dataset().deletes().begin(ALL, TimeRange.ALL);
      assertThat(removed.await(10, TimeUnit.SECONDS)).isTrue();
      deletion.cancel();
      assertThat(failed.getCount()).as("the record could not be reclaimed").isZero();
      assertThat(deletion.progress().state()).isEqualTo(State.CANCELLED);
      assertThat(engine.dataset().deletes().pending()).contains(deletion);
      goOn.countDown();
      assertThat(deletion.await(Duration.ofSeconds(20))).isTrue();
      assertThat(engine.dataset().deletes().pending()).isEmpty();
    }
  }

  /** The job has found the deleted sample, but not removed it yet. */
  @Test
  void aSampleWrittenAfterACancelStays() throws Exception {
    HeldReads reads = new HeldReads(thread -> thread.getName().equals("deletes of main"));
    try (TestEngine engine =
        new TestEngine(TestEngine.dataset("main", TestEngine.layout("cell-per-event")))
            .around(store -> new WatchedStore(store, reads::around))) {
      long time = START / 1000 * engine.dataset().resolution().perSecond();
      engine.put(KEY, time, new Value.Real(1));
      reads.arm();
      Deletion deletion = engine.dataset().deletes().begin(ALL, TimeRange.ALL);
      assertThat(reads.await()).isTrue();
      deletion.cancel();
      engine.put(KEY, time, new Value.Real(42));
      reads.release();
      // The thread of deletes takes the next one once it has ended the first.
      Deletion next = engine.dataset().deletes().begin(Selector.metric("other"), TimeRange.ALL);
      assertThat(next.await(Duration.ofSeconds(20))).isTrue();
      assertThat(engine.read(ReadRequest.of(ALL, TimeRange.ALL)).get(KEY.field("value")))
          .containsExactly(new TestEngine.Sample(time, new Value.Real(42)));
      assertThat(deletion.progress().state()).isEqualTo(State.CANCELLED);
      assertThat(deletion.progress().samples()).as("removed samples").isZero();
    }
  }

  @Test
  void aSampleWrittenAfterTheRecordWentStays() throws Exception {
    goOn.countDown();
    try (TestEngine engine =
        new TestEngine(TestEngine.dataset("main", TestEngine.layout("cell-per-event")))
            .around(FullDisk::new)) {
      long second = engine.dataset().resolution().perSecond();
      long first = START / 1000 * second;
      // A second sample keeps the series, so that it is not removed with its labels.
      engine.write(
          new BatchBuilder()
              .add(KEY, first, new Value.Real(1))
              .add(KEY, first + 100 * second, new Value.Real(2))
              .build());
      Deletion deletion =
          engine.dataset().deletes().begin(ALL, new TimeRange(first, first + second));
      assertThat(failed.await(10, TimeUnit.SECONDS)).isTrue();
      // The delete hides nothing any more, and no write waits for it: this one is accepted.
      engine.put(KEY, first, new Value.Real(42));
      // The job tries again two seconds later.
      assertThat(deletion.await(Duration.ofSeconds(20))).isTrue();
      assertThat(engine.read(ReadRequest.of(ALL, TimeRange.ALL)).values().iterator().next())
          .as("the sample that was acknowledged after the delete, and the old one")
          .hasSize(2);
    }
  }
}
