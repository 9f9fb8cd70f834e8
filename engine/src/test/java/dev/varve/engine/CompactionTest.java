package dev.varve.engine;

import static dev.varve.engine.TestEngine.dataset;
import static dev.varve.engine.TestEngine.layout;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.PowerLossStore.Fate;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.progress.CompactionProgress;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.StoreException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Compacted rows return the same samples as before, even after an interrupted compaction. */
class CompactionTest {
  private static final long HOUR = 3_600_000L;
  private static final long START = 1_699_992_000_000L;
  private static final int CELLS = 4 * 5 * 60;
  private static final ReadRequest ALL = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);

  private final Model model = new Model();

  private TestEngine engine() {
    return new TestEngine(dataset("main", layout("opentsdb")));
  }

  /** Four series, five hours, sixty cells per hour; some instants are written twice. */
  private void fill(TestEngine engine) {
    Random random = new Random(7);
    for (int round = 0; round < 2; round++) {
      BatchBuilder batch = new BatchBuilder();
      for (int cell = 0; cell < CELLS; cell++) {
        GroupKey key = key(cell % 4);
        long time = START - 4 * HOUR + cell / 4 * 60_000L;
        if (round == 0 || random.nextInt(10) == 0) {
          batch.add(
              key,
              time,
              random.nextBoolean()
                  ? new Value.Int64(random.nextLong() >> random.nextInt(64))
                  : new Value.Real(random.nextDouble()));
        }
      }
      var built = batch.build();
      assertThat(engine.write(built).refused()).isZero();
      model.write(built);
    }
  }

  private static GroupKey key(int host) {
    return GroupKey.of("m", Tags.of("host", "h" + host));
  }

  private static CompactionProgress compact(TestEngine engine, ReadRequest request) {
    return engine.dataset().maintenance().compact(request, progress -> {}, () -> false);
  }

  private static long cellsRead(TestEngine engine) {
    try (RunCursor runs = engine.dataset().read(ALL)) {
      while (runs.next() != null) {
        // Only the cost matters, not the samples.
      }
      return runs.cost().cellsRead();
    }
  }

  @Test
  void makesOneCellARowThatSaysTheSame() {
    try (TestEngine engine = engine()) {
      fill(engine);
      assertThat(cellsRead(engine)).isGreaterThan(CELLS);

      CompactionProgress done = compact(engine, ALL);

      assertThat(done.rows()).isEqualTo(20);
      assertThat(done.compacted()).isEqualTo(20);
      assertThat(done.written()).isEqualTo(20);
      assertThat(done.deleted()).isGreaterThan(CELLS);
      assertThat(done.damaged()).isZero();
      assertThat(engine.read(ALL)).isEqualTo(model.all());
      assertThat(cellsRead(engine)).isEqualTo(20);
      engine.restart();
      assertThat(engine.read(ALL)).isEqualTo(model.all());
      assertThat(compact(engine, ALL).compacted()).as("nothing is left to do").isZero();
    }
  }

  @Test
  void touchesOnlyTheRowsThatAreAskedFor() {
    try (TestEngine engine = engine()) {
      fill(engine);
      Selector one = Selector.metric("m", new TagFilter.Equal("host", "h1"));
      TimeRange twoHours = new TimeRange(START - 2 * HOUR, START);

      assertThat(compact(engine, ReadRequest.of(one, twoHours)).compacted()).isEqualTo(2);
      assertThat(engine.read(ALL)).isEqualTo(model.all());
    }
  }

  @Test
  void leavesTheHourThatStillFillsUp() {
    try (TestEngine engine = engine()) {
      long now = TestEngine.START_MICROS / 1000;
      engine.put(key(0), now - 2000, new Value.Real(1));
      engine.put(key(0), now - 1000, new Value.Real(2));

      assertThat(compact(engine, ALL)).isEqualTo(new CompactionProgress(1, 0, 0, 0, 0, List.of()));
    }
  }

  @Test
  void laterWritesCountAndAreCompactedNextTime() {
    try (TestEngine engine = engine()) {
      fill(engine);
      compact(engine, ALL);
      for (int host = 0; host < 4; host++) {
        BatchBuilder late = new BatchBuilder();
        late.add(key(host), START - HOUR, new Value.Int64(host));
        late.add(key(host), START - HOUR + 1, new Value.Int64(host));
        var built = late.build();
        engine.write(built);
        model.write(built);
      }
      assertThat(engine.read(ALL)).isEqualTo(model.all());
      assertThat(compact(engine, ALL).compacted()).isEqualTo(4);
      assertThat(engine.read(ALL)).isEqualTo(model.all());
      assertThat(cellsRead(engine)).isEqualTo(20);
    }
  }

  /** Power fails at each write in turn, each time with a different state synced. */
  @Test
  void aHalfDoneCompactionSaysTheSame() {
    for (int last = 0; last < 6; last++) {
      try (TestEngine engine = engine()) {
        Model before = new Model();
        Random random = new Random(last);
        for (int batch = 0; batch < 3; batch++) {
          BatchBuilder samples = new BatchBuilder();
          for (int row = 0; row < 80; row++) {
            samples.add(
                key(0), START - row * HOUR + batch * 1000L, new Value.Int64((long) row * batch));
            samples.add(key(0), START - row * HOUR, new Value.Real(batch));
          }
          var built = samples.build();
          engine.write(built);
          before.write(built);
        }
        PowerLossStore store = engine.store();
        int fatal = store.writes() + last;
        store.fates((write, table) -> write < fatal ? Fate.WELL : Fate.POWER_LOSS);
        try {
          compact(engine, ALL);
        } catch (WriteFailedException | StoreException e) {
          assertThat(store.isLost()).isTrue();
        }
        engine.losePower(random);

        assertThat(engine.read(ALL)).as("killed at write " + last).isEqualTo(before.all());
        compact(engine, ALL);
        assertThat(engine.read(ALL)).isEqualTo(before.all());
        assertThat(cellsRead(engine)).isEqualTo(80);
      }
    }
  }

  @Test
  void losesNothingThatIsWrittenMeanwhile() throws InterruptedException {
    try (TestEngine engine = engine()) {
      fill(engine);
      AtomicBoolean done = new AtomicBoolean();
      Thread compacting =
          Thread.ofPlatform()
              .start(() -> {
                while (!done.get()) {
                  compact(engine, ALL);
                }
              });
      Random random = new Random(3);
      for (int i = 0; i < 500; i++) {
        long time = START - 4 * HOUR + random.nextInt(5 * 60) * 60_000L;
        Value value =
            i % 2 == 0 ? new Value.Int64(random.nextInt()) : new Value.Real(random.nextDouble());
        var built = new BatchBuilder().add(key(random.nextInt(4)), time, value).build();
        engine.write(built);
        model.write(built);
        engine.micros.addAndGet(500);
      }
      done.set(true);
      compacting.join();
      assertThat(engine.read(ALL)).isEqualTo(model.all());
      compact(engine, ALL);
      assertThat(engine.read(ALL)).isEqualTo(model.all());
    }
  }

  @Test
  void leavesDamagedRowsAndNamesThem() {
    try (TestEngine engine = engine()) {
      fill(engine);
      Bytes row =
          engine
              .dataset()
              .explain(new BatchBuilder().add(key(0), START, new Value.Real(1)).build())
              .stream()
              .filter(cell -> cell.table().endsWith("tsdb"))
              .findFirst()
              .orElseThrow()
              .row();
      engine.damage("main.tsdb", row, Bytes.fromHex("00000010"));

      CompactionProgress done = compact(engine, ALL);
      assertThat(done.damaged()).isEqualTo(1);
      assertThat(done.damages().getFirst()).contains("main.tsdb").contains(row.hex());
      assertThat(done.compacted()).isEqualTo(19);
    }
  }

  @Test
  void isRefusedWhereNoLayoutHasCompactedRows() {
    try (TestEngine engine = new TestEngine(dataset("main", layout("buckets")))) {
      assertThatThrownBy(() -> compact(engine, ALL))
          .isInstanceOf(QueryRefusedException.class)
          .hasMessageContaining("no layout of dataset 'main' has compacted rows");
    }
  }
}
