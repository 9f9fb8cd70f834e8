package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.PowerLossStore.Fate;
import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Deletes beside writes whose answer is lost although they were applied. */
class UnknownDeletesTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));
  private static final Selector ALL = Selector.metric("m");

  private static List<Long> times(TestEngine test) {
    return test.read(ReadRequest.of(ALL, TimeRange.ALL)).values().stream()
        .flatMap(List::stream)
        .map(Sample::time)
        .sorted()
        .toList();
  }

  /** Writes as a client does: a write into times that are being deleted is tried again. */
  private static void putOnceTheDeleteAllows(TestEngine test, long time, Value value)
      throws InterruptedException {
    for (int tries = 0; ; tries++) {
      try {
        test.put(KEY, time, value);
        return;
      } catch (OverloadedException e) {
        if (tries == 2_000) {
          throw e;
        }
        Thread.sleep(10);
      }
    }
  }

  /** The client was told that the delete failed. */
  @Test
  void aDeleteOfUnknownOutcomeRemovesNothingThatWasWrittenLater() throws InterruptedException {
    try (TestEngine test =
        new TestEngine(TestEngine.dataset("main", TestEngine.layout("cell-per-event")))) {
      long time = TestEngine.START_MICROS / 1_000_000 * test.dataset().resolution().perSecond();
      test.put(KEY, time, new Value.Real(1));
      test.store()
          .fates((write, table) ->
              table.equals(".main.deletes") ? Fate.UNKNOWN_BUT_APPLIED : Fate.WELL);
      assertThatThrownBy(() -> test.dataset().deletes().begin(ALL, new TimeRange(time, time + 1)))
          .isInstanceOf(StoreException.class);
      test.store().fates((write, table) -> Fate.WELL);
      putOnceTheDeleteAllows(test, time, new Value.Real(42));
      test.restart();
      for (Deletion one : test.dataset().deletes().pending()) {
        assertThat(one.await(Duration.ofSeconds(20))).isTrue();
      }
      assertThat(times(test)).as("what was accepted after the delete failed").containsExactly(time);
    }
  }

  /** The journal keeps the entry of a failed write, and no later seal cuts it. */
  @Test
  void aDeleteAlsoRemovesASampleWhoseWriteFailedWithAnUnknownOutcome() throws InterruptedException {
    long now = TestEngine.START_MICROS / 1000;
    try (TestEngine test =
        new TestEngine(TestEngine.dataset("main", new BlockLayout(Resolution.MILLISECONDS)))) {
      test.put(KEY, now, new Value.Real(1));
      test.seal();
      test.store()
          .fates((write, table) ->
              table.equals("main.journal") ? Fate.UNKNOWN_BUT_APPLIED : Fate.WELL);
      assertThatThrownBy(
              () -> test.write(new BatchBuilder().add(KEY, now + 1, new Value.Real(2)).build()))
          .isInstanceOf(WriteFailedException.class);
      test.store().fates((write, table) -> Fate.WELL);
      Deletion deletion = test.dataset().deletes().begin(ALL, new TimeRange(now + 1, now + 2));
      assertThat(deletion.await(Duration.ofSeconds(20))).isTrue();
      assertThat(times(test)).containsExactly(now);
      test.restart();
      assertThat(times(test)).as("after a restart").containsExactly(now);
    }
  }
}
