package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.request.ReadRequest;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.MutationBatch.Edit;
import dev.varve.store.RowOutcome;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is written under an old name while it is being changed stays readable. */
class RenamingTest {
  private static final String SERIES = ".main.series";
  private static final String UIDS = "main.tsdb-uid";
  private static final GroupKey OLD = GroupKey.of("m", Tags.of("host", "a"));
  private static final long NOW = TestEngine.START_MICROS / 1000;
  private static final long FAR = NOW - 100 * 86_400_000L;

  /** Runs once, after the first new row of the catalog of a change. */
  private final AtomicReference<@Nullable Runnable> afterAdding = new AtomicReference<>();

  /** Runs once, before the old name loses its number. */
  private final AtomicReference<@Nullable Runnable> beforeEnd = new AtomicReference<>();

  private final TestEngine engine =
      new TestEngine(TestEngine.dataset("main", TestEngine.layout("opentsdb")))
          .around(Interrupted::new);

  private final class Interrupted extends StoreAround {
    private Interrupted(Store store) {
      super(store);
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      return new TableAround(super.open(spec, mode)) {
        @Override
        public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
          if (spec.name().equals(UIDS) && batch.edit(0) != Edit.PUT) {
            runOnce(beforeEnd);
          }
          List<RowOutcome> outcomes = super.apply(batch, durability);
          if (spec.name().equals(SERIES)) {
            runOnce(afterAdding);
          }
          return outcomes;
        }
      };
    }
  }

  private static void runOnce(AtomicReference<@Nullable Runnable> action) {
    Runnable once = action.getAndSet(null);
    if (once != null) {
      once.run();
    }
  }

  @AfterEach
  void close() {
    engine.close();
  }

  @Test
  void keepsASeriesThatIsMadeMeanwhile() {
    engine.put(OLD, NOW, new Value.Real(1));
    GroupKey late = GroupKey.of("m", Tags.of("core", "1", "host", "a"));
    afterAdding.set(() -> engine.put(late, NOW, new Value.Real(2)));
    rename();
    assertThat(afterAdding.get()).as("the series was made").isNull();
    Map<GroupKey, List<Long>> all =
        Map.of(
            GroupKey.of("m", Tags.of("host", "b")),
            List.of(NOW),
            GroupKey.of("m", Tags.of("core", "1", "host", "b")),
            List.of(NOW));
    assertThat(times()).isEqualTo(all);
    engine.restart();
    assertThat(times()).isEqualTo(all);
  }

  @Test
  void keepsASampleFarFromTheOthersThatIsWrittenMeanwhile() {
    engine.put(OLD, NOW, new Value.Real(1));
    afterAdding.set(() -> engine.put(OLD, FAR, new Value.Real(2)));
    rename();
    assertThat(afterAdding.get()).as("the sample was written").isNull();
    GroupKey renamed = GroupKey.of("m", Tags.of("host", "b"));
    TimeRange far = TimeRange.closed(FAR, FAR);
    assertThat(times()).isEqualTo(Map.of(renamed, List.of(FAR, NOW)));
    assertThat(times(far)).isEqualTo(Map.of(renamed, List.of(FAR)));
    engine.restart();
    assertThat(times()).isEqualTo(Map.of(renamed, List.of(FAR, NOW)));
    assertThat(times(far)).isEqualTo(Map.of(renamed, List.of(FAR)));
  }

  /** It has the number of the old name when it has to wait for the end of the change. */
  @Test
  void keepsASampleThatWaitsForItsEnd() throws Exception {
    engine.put(OLD, NOW, new Value.Real(1));
    FutureTask<Boolean> write =
        new FutureTask<>(() -> {
          engine.put(OLD, FAR, new Value.Real(2));
          return true;
        });
    beforeEnd.set(() -> {
      Thread writer = Thread.ofPlatform().start(write);
      await().until(() -> isWaiting(writer));
    });
    rename();
    assertThat(write.get(20, TimeUnit.SECONDS)).isTrue();
    Map<GroupKey, List<Long>> all =
        Map.of(OLD, List.of(FAR), GroupKey.of("m", Tags.of("host", "b")), List.of(NOW));
    assertThat(times()).isEqualTo(all);
    engine.restart();
    assertThat(times()).isEqualTo(all);
  }

  private static boolean isWaiting(Thread writer) {
    return writer.getState() == Thread.State.WAITING
        && Arrays.stream(writer.getStackTrace())
            .anyMatch(frame -> frame.getClassName().endsWith(".CellWrite"));
  }

  private void rename() {
    assertThat(engine.dataset().originals().rename(NameTable.Part.TAG_VALUE, "a", "b"))
        .isInstanceOf(NameTable.Renamed.Done.class);
  }

  private Map<GroupKey, List<Long>> times() {
    return times(TimeRange.ALL);
  }

  private Map<GroupKey, List<Long>> times(TimeRange range) {
    return engine.read(ReadRequest.of(Selector.metric("m"), range)).entrySet().stream()
        .collect(
            Collectors.toMap(
                one -> one.getKey().key(),
                one -> one.getValue().stream().map(Sample::time).toList()));
  }
}
