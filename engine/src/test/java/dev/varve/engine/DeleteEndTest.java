package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.progress.Deletion;
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

/** The compaction of the table of deletes fails once, after the record is gone. */
class DeleteEndTest {
  private static final long START = 1_699_999_200_000L;
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));
  private static final Selector ALL = Selector.metric("m");

  private final AtomicBoolean failing = new AtomicBoolean(true);
  private final CountDownLatch failed = new CountDownLatch(1);

  private final class FullDisk extends StoreAround {
    FullDisk(Store store) {
      super(store);
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      Table table = super.open(spec, mode);
      return spec.name().endsWith(".deletes") ? new Reclaiming(table) : table;
    }
  }

  private final class Reclaiming extends TableAround {
    Reclaiming(Table table) {
      super(table);
    }

    @Override
    public <P extends Power> Optional<P> power(Class<P> power) {
      if (power != Power.Reclaim.class) {
        return super.power(power);
      }
      Power.Reclaim reclaim =
          (from, to) -> {
            if (failing.getAndSet(false)) {
              failed.countDown();
              throw new StoreException("rocksdb: No space left on device");
            }
          };
      return Optional.of(power.cast(reclaim));
    }
  }

  @Test
  void aSampleWrittenAfterTheRecordWentStays() throws Exception {
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
