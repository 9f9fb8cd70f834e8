package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.PowerLossStore.Fate;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.request.WriteResult;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A store that fails for longer than the mark of the clock is ahead, 2 s. */
class ClockOutageTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));
  private static final long NOW = TestEngine.START_MICROS / 1000;

  @Test
  void writesGoOnOnceTheMarkCanBeRaised() throws Exception {
    TestEngine test =
        new TestEngine(TestEngine.dataset("main", new BlockLayout(Resolution.MILLISECONDS)));
    test.put(KEY, NOW, new Value.Real(1));
    // Longer than ClockTable.MARK_AHEAD_MICROS: the next batch has to raise the mark.
    test.micros.addAndGet(Duration.ofSeconds(5).toNanos() / 1000);
    test.store().fates((write, table) -> table.equals(".clock") ? Fate.NOT_APPLIED : Fate.WELL);
    assertThatThrownBy(() -> test.write(batch(1))).isInstanceOf(WriteFailedException.class);

    test.store().fates((write, table) -> Fate.WELL);
    // Daemons: a write that waits for its turn for ever cannot be interrupted.
    ExecutorService writer =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
    Future<WriteResult> second = writer.submit(() -> test.write(batch(2)));
    assertThat(second.get(10, TimeUnit.SECONDS).accepted()).isOne();
    test.close();
  }

  private static Batch batch(int place) {
    return new BatchBuilder().add(KEY, NOW + place, new Value.Real(place)).build();
  }
}
