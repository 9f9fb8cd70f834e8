package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.PowerLossStore.Fate;
import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.config.Acknowledgement;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.JournalConfig;
import dev.varve.engine.config.JournalConfig.Sync;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.SyncedTo;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The samples of a dataset in blocks that survive a crash, for each sync mode of its journal. */
class JournalModesTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));
  private static final long NOW = TestEngine.START_MICROS / 1000;
  private static final String JOURNAL = "main.journal";

  /** More than the interval between syncs. */
  private static final Duration WAIT_MAX = Duration.ofSeconds(10);

  private static DatasetConfig dataset(Sync sync, long bytes) {
    return TestEngine.dataset("main", new BlockLayout(Resolution.MILLISECONDS))
        .with(new JournalConfig(sync, bytes));
  }

  private static DatasetConfig dataset(Sync sync) {
    return dataset(sync, JournalConfig.DEFAULTS.maxBytes());
  }

  @ParameterizedTest
  @EnumSource(Sync.class)
  void losesOnlyTheEndWhenThePowerGoes(Sync sync) {
    for (int seed = 0; seed < 10; seed++) {
      Random random = new Random(seed);
      try (TestEngine test = new TestEngine(dataset(sync))) {
        int count = 1 + random.nextInt(20);
        write(test, 0, count);
        test.losePower(random);
        List<Sample> kept = read(test);
        if (sync == Sync.FSYNC) {
          assertThat(kept).hasSize(count);
        }
        // The samples that a series begins with: no later sample without those before it.
        for (int i = 0; i < kept.size(); i++) {
          assertThat(kept.get(i)).isEqualTo(new Sample(NOW + i, new Value.Int64(i)));
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(value = Sync.class, mode = Mode.EXCLUDE, names = "FSYNC")
  void syncsSoonWithoutFurtherWrites(Sync sync) {
    try (TestEngine test = new TestEngine(dataset(sync))) {
      write(test, 0, 3);
      await().atMost(WAIT_MAX).until(() -> !test.store().hasUnsynced());
      assertThat(test.dataset().parts().figures().get("journal_queued_bytes")).isZero();
      test.losePower(new Random(1));
      assertThat(read(test)).hasSize(3);
    }
  }

  @ParameterizedTest
  @EnumSource(Sync.class)
  void cleanStopKeepsEverything(Sync sync) {
    try (TestEngine test = new TestEngine(dataset(sync))) {
      write(test, 0, 50);
      test.restart();
      assertThat(read(test)).hasSize(50);
      write(test, 50, 60);
      test.seal();
      assertThat(read(test)).hasSize(60);
    }
  }

  @Test
  void asyncWritersWaitOnceTooMuchIsQueued() {
    try (TestEngine test = new TestEngine(dataset(Sync.ASYNC))) {
      write(test, 0, 1);
      AtomicBoolean fails = new AtomicBoolean(true);
      test.store()
          .fates((write, table) ->
              fails.get() && table.equals(JOURNAL) ? Fate.NOT_APPLIED : Fate.WELL);
      Value large = new Value.Text("x".repeat(1 << 20));
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 100; i++) {
                  test.put(KEY, NOW + 1000 + i, large);
                }
              })
          .isInstanceOf(OverloadedException.class)
          .hasMessageContaining("bytes wait to be written to the journal, the limit is 8,388,608");
      int accepted = read(test).size();
      assertThat(accepted).isBetween(5, 12);
      fails.set(false);
      test.restart();
      assertThat(read(test)).hasSize(accepted);
    }
  }

  @Test
  void fullJournalIsSealed() {
    try (TestEngine test = new TestEngine(dataset(Sync.FSYNC, JournalConfig.BYTES_MIN))) {
      Value large = new Value.Text("x".repeat(1 << 16));
      // Eight batches fill a head.
      for (int i = 0; i < 40; i++) {
        test.put(KEY, NOW + i, large);
      }
      // Two heads of half the size, and the batch with which each became full.
      assertThat(journalBytes(test)).isLessThan(1.0 * JournalConfig.BYTES_MIN + (1 << 18));
      test.seal();
      for (int i = 40; i < 43; i++) {
        test.put(KEY, NOW + i, large);
      }
      assertThat(journalBytes(test)).isBetween(3.0 * (1 << 16), 3.5 * (1 << 16));
      assertThat(read(test)).hasSize(43);
      test.losePower(new Random(3));
      assertThat(read(test)).hasSize(43);
    }
  }

  private static double journalBytes(TestEngine test) {
    return test.dataset().parts().figures().getOrDefault("journal_bytes", -1.0);
  }

  @Test
  void saysWhereAcceptedSamplesAre() {
    assertThat(Acknowledgement.of(SyncedTo.DISK, true, Sync.FSYNC).word()).isEqualTo("fsync");
    assertThat(Acknowledgement.of(SyncedTo.DISK, true, Sync.ASYNC).word()).isEqualTo("async");
    // Cells have no journal: they wait for the store.
    assertThat(Acknowledgement.of(SyncedTo.DISK, false, Sync.ASYNC).word()).isEqualTo("fsync");
    assertThat(Acknowledgement.of(SyncedTo.OPERATING_SYSTEM, true, Sync.FSYNC).word())
        .isEqualTo("os");
    assertThat(Acknowledgement.of(SyncedTo.MEMORY, true, Sync.FSYNC).word()).isEqualTo("memory");
    assertThat(Acknowledgement.of(SyncedTo.ANOTHER_PROCESS, false, Sync.OS).word())
        .isEqualTo("store");
  }

  private static void write(TestEngine test, int from, int to) {
    for (int i = from; i < to; i++) {
      test.put(KEY, NOW + i, new Value.Int64(i));
    }
  }

  private static List<Sample> read(TestEngine test) {
    Map<Series, List<Sample>> read = test.read(ReadRequest.of(Selector.metric("m"), TimeRange.ALL));
    return read.isEmpty() ? List.of() : read.values().iterator().next();
  }
}
