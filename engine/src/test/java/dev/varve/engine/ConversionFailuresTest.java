package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.PowerLossStore.Fate;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.progress.ConversionProgress;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.WriteResult;
import dev.varve.layout.Layout;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.CellCursor;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A conversion whose writers, attributes or stores are in its way loses nothing and stops nobody.
 */
class ConversionFailuresTest {
  private static final long DAY = 86_400_000;
  private static final long HOUR = 3_600_000;
  private static final long BORDER = TestEngine.START_MICROS / 1000 + DAY;
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));

  /** Number of late writes after which the next round may be the last one. */
  private static final int MANY = 4;

  /** Returns an engine whose period in blocks has begun; reads of cells run a hook first. */
  private static TestEngine begun(String layout, Runnable beforeRead) {
    DatasetConfig cells = TestEngine.dataset("main", TestEngine.layout(layout));
    List<PeriodConfig> periods = new ArrayList<>(cells.periods());
    periods.add(
        new PeriodConfig(
            Instant.ofEpochMilli(BORDER), List.of(new BlockLayout(Resolution.MILLISECONDS))));
    Layout of = TestEngine.layout(layout);
    String data = "main." + of.tables().get(of.dataTable()).name();
    TestEngine test =
        new TestEngine(cells.withPeriods(periods))
            .around(store -> new HookedStore(store, data, beforeRead));
    test.dataset();
    test.micros.set(BORDER * 1000 + 3 * DAY * 1000);
    return test;
  }

  private static TestEngine begun(String layout) {
    return begun(layout, () -> {});
  }

  /** Runs a hook before each read of a table. */
  private static final class HookedStore extends StoreAround {
    private final String table;
    private final Runnable beforeRead;

    private HookedStore(Store store, String table, Runnable beforeRead) {
      super(store);
      this.table = table;
      this.beforeRead = beforeRead;
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      Table opened = super.open(spec, mode);
      return !spec.name().equals(table)
          ? opened
          : new TableAround(opened) {
            @Override
            public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
              beforeRead.run();
              return super.read(plan, resume);
            }
          };
    }
  }

  private static List<Long> times(TestEngine test) {
    return test.read(ReadRequest.of(Selector.metric("m"), TimeRange.ALL)).values().stream()
        .flatMap(List::stream)
        .map(TestEngine.Sample::time)
        .sorted()
        .toList();
  }

  /** Converts beside the test, which ends it if it takes too long. */
  private static ConversionProgress convert(TestEngine test, Consumer<ConversionProgress> progress)
      throws Exception {
    AtomicBoolean stopped = new AtomicBoolean();
    CompletableFuture<ConversionProgress> end = new CompletableFuture<>();
    Thread converting =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                end.complete(
                    test.dataset().maintenance().convertIntoBlocks(progress, stopped::get));
              } catch (RuntimeException e) {
                end.completeExceptionally(e);
              }
            });
    try {
      return end.get(60, TimeUnit.SECONDS);
    } finally {
      stopped.set(true);
      converting.join();
    }
  }

  /** Writes into every slice that is being copied, so that writers wait in the last round. */
  private static Consumer<ConversionProgress> lateWrites(TestEngine test, AtomicInteger count) {
    return progress -> {
      if (progress.blocksFrom() != null) {
        test.put(KEY, BORDER - 1, new Value.Real(count.incrementAndGet()));
      }
    };
  }

  /** Waits until a thread waits for a lock, and returns whether it does rather than has ended. */
  private static boolean waits(Thread thread) {
    while (thread.getState() != Thread.State.WAITING && thread.isAlive()) {
      LockSupport.parkNanos(100_000);
    }
    return thread.isAlive();
  }

  @Test
  void lastRoundNeedsNoRoomThatWaitingWritersHold() throws Exception {
    AtomicInteger late = new AtomicInteger();
    List<Thread> writers = new ArrayList<>();
    TestEngine[] of = new TestEngine[1];
    Runnable takeAllRoom =
        () -> {
          if (late.get() >= MANY && writers.stream().noneMatch(Thread::isAlive)) {
            Thread writer =
                Thread.ofPlatform().daemon().start(() -> writeRefused(of[0], allRoom(of[0]) / 2));
            writers.add(writer);
            waits(writer);
          }
        };
    try (TestEngine test = begun("buckets", takeAllRoom)) {
      of[0] = test;
      test.put(KEY, BORDER - HOUR, new Value.Real(0));
      assertThat(convert(test, lateWrites(test, late)).done()).isTrue();
      assertThat(writers).isNotEmpty();
      for (Thread writer : writers) {
        writer.join();
      }
      assertThat(times(test)).containsExactly(BORDER - HOUR, BORDER - 1);
    }
  }

  @Test
  void lastRoundLetsWritersGoOnWhileCopiesCannotBeSealed() throws Exception {
    AtomicInteger late = new AtomicInteger();
    AtomicBoolean fails = new AtomicBoolean();
    List<Thread> writers = new ArrayList<>();
    TestEngine[] of = new TestEngine[1];
    Runnable failAfterLastRound =
        () -> {
          if (late.get() >= MANY && !fails.get() && writers.stream().noneMatch(Thread::isAlive)) {
            Thread writer =
                Thread.ofPlatform()
                    .daemon()
                    .start(() -> {
                      writeRefused(of[0], 1);
                      fails.set(false);
                    });
            writers.add(writer);
            fails.set(waits(writer));
          }
        };
    try (TestEngine test = begun("buckets", failAfterLastRound)) {
      of[0] = test;
      test.store()
          .fates((write, table) ->
              fails.get() && table.equals("main.1-0.blocks") ? Fate.NOT_APPLIED : Fate.WELL);
      test.put(KEY, BORDER - HOUR, new Value.Real(0));
      assertThat(convert(test, lateWrites(test, late)).done()).isTrue();
      assertThat(writers).isNotEmpty();
      assertThat(times(test)).containsExactly(BORDER - HOUR, BORDER - 1);
    }
  }

  /** An attribute that was accepted would be removed with the cells. */
  @Test
  void attributesAreRefusedFromTheFirstSliceToTheLast() throws Exception {
    try (TestEngine test = begun("entity")) {
      test.put(KEY, BORDER - 40 * DAY, new Value.Real(1));
      test.put(KEY, BORDER - DAY, new Value.Real(2));
      Attribute rack = new Attribute(KEY, "rack", BORDER - 40 * DAY, new Value.Text("7"));
      List<WriteResult> written = new ArrayList<>();
      ConversionProgress end =
          convert(test, progress -> written.add(test.write(new Batch(List.of(), List.of(rack)))));
      assertThat(end.done()).isTrue();
      assertThat(written)
          .hasSizeGreaterThan(2)
          .allSatisfy(result ->
              assertThat(result.refusedByRule()).isEqualTo(Map.of("blocks.attribute", 1)));
    }
  }

  @Test
  void attributesAreAcceptedAfterARunThatFoundOne() {
    try (TestEngine test = begun("entity")) {
      test.put(KEY, BORDER - DAY, new Value.Real(2));
      for (String name : List.of("rack", "room")) {
        Attribute one = new Attribute(KEY, name, BORDER - DAY, new Value.Text("7"));
        assertThat(test.write(new Batch(List.of(), List.of(one))).accepted()).isEqualTo(1);
        assertThatThrownBy(() -> convert(test, progress -> {}))
            .hasCauseInstanceOf(QueryRefusedException.class)
            .hasMessageContaining("has attributes, such as 'rack'");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"UNKNOWN_BUT_APPLIED", "UNKNOWN_AND_LOST"})
  void borderMovesIfItsRecordHasNoAnswer(Fate fate) throws Exception {
    try (TestEngine test = begun("buckets")) {
      test.put(KEY, BORDER - 3 * HOUR, new Value.Real(1));
      failRecordOfBorder(test, fate, Fate.WELL);
      assertThat(convert(test, progress -> {}).done()).isTrue();
      test.store().fates((write, table) -> Fate.WELL);
      test.put(KEY, BORDER - 2 * HOUR, new Value.Real(2));
      assertThat(times(test)).containsExactly(BORDER - 3 * HOUR, BORDER - 2 * HOUR);
      test.restart();
      assertThat(times(test)).containsExactly(BORDER - 3 * HOUR, BORDER - 2 * HOUR);
    }
  }

  @Test
  void writersGoOnIfTheRecordOfTheBorderIsNotApplied() throws Exception {
    try (TestEngine test = begun("buckets")) {
      test.put(KEY, BORDER - 3 * HOUR, new Value.Real(1));
      failRecordOfBorder(test, Fate.NOT_APPLIED, Fate.NOT_APPLIED);
      assertThatThrownBy(() -> convert(test, progress -> {}))
          .hasCauseInstanceOf(StoreException.class);
      test.store().fates((write, table) -> Fate.WELL);
      test.put(KEY, BORDER - 2 * HOUR, new Value.Real(2));
      test.restart();
      assertThat(times(test)).containsExactly(BORDER - 3 * HOUR, BORDER - 2 * HOUR);
      assertThat(convert(test, progress -> {}).done()).isTrue();
      assertThat(times(test)).containsExactly(BORDER - 3 * HOUR, BORDER - 2 * HOUR);
    }
  }

  /** Neither cells nor blocks may change while it is unknown which of them a restart will read. */
  @ParameterizedTest
  @EnumSource(names = {"UNKNOWN_BUT_APPLIED", "UNKNOWN_AND_LOST"})
  void nothingIsWrittenWhileTheRecordOfTheBorderIsUnknown(Fate fate) throws Exception {
    try (TestEngine test = begun("buckets")) {
      test.put(KEY, BORDER - 3 * HOUR, new Value.Real(1));
      CompletableFuture<WriteResult> waiting = new CompletableFuture<>();
      AtomicInteger records = new AtomicInteger();
      test.store()
          .fates((write, table) -> {
            if (!table.equals(".main.dataset") || records.incrementAndGet() == 1) {
              return Fate.WELL;
            }
            if (records.get() == 2) {
              waits(startWriter(test, waiting));
              return fate;
            }
            return Fate.NOT_APPLIED;
          });
      assertThatThrownBy(() -> convert(test, progress -> {}))
          .hasCauseInstanceOf(WriteFailedException.class)
          .hasMessageContaining("restart the server");
      test.store().fates((write, table) -> Fate.WELL);
      assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS))
          .hasCauseInstanceOf(WriteFailedException.class);
      assertThatThrownBy(() -> test.put(KEY, BORDER + HOUR, new Value.Real(3)))
          .isInstanceOf(WriteFailedException.class);
      assertThatThrownBy(() -> test.dataset().deletes().begin(Selector.metric("m"), TimeRange.ALL))
          .isInstanceOf(WriteFailedException.class);
      assertThatThrownBy(() -> convert(test, progress -> {}))
          .hasCauseInstanceOf(WriteFailedException.class);
      assertThat(times(test)).containsExactly(BORDER - 3 * HOUR);
      test.restart();
      test.put(KEY, BORDER - 2 * HOUR, new Value.Real(2));
      assertThat(convert(test, progress -> {}).done()).isTrue();
      assertThat(times(test)).containsExactly(BORDER - 3 * HOUR, BORDER - 2 * HOUR);
    }
  }

  /** Starts a writer of cells. */
  private static Thread startWriter(TestEngine test, CompletableFuture<WriteResult> end) {
    Batch batch = new BatchBuilder().add(KEY, BORDER - HOUR, new Value.Real(9)).build();
    return Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            end.complete(test.write(batch));
          } catch (RuntimeException e) {
            end.completeExceptionally(e);
          }
        });
  }

  /** Decides what happens to the record of the first border, and to later writes of the table. */
  private static void failRecordOfBorder(TestEngine test, Fate fate, Fate later) {
    AtomicInteger records = new AtomicInteger();
    test.store()
        .fates((write, table) ->
            !table.equals(".main.dataset")
                ? Fate.WELL
                : switch (records.incrementAndGet()) {
                  case 1 -> Fate.WELL; // It says where copies may be.
                  case 2 -> fate;
                  default -> later;
                });
  }

  /** Writes a batch that is refused because of its time. */
  private static void writeRefused(TestEngine test, int bytes) {
    byte[] text = new byte[bytes];
    Column one = new Column.Texts("text", text, new int[] {text.length}, null);
    SampleGroup group = new SampleGroup(KEY, 1, new long[] {Long.MAX_VALUE}, List.of(one));
    try {
      assertThat(test.write(Batch.of(group)).accepted()).isZero();
    } catch (OverloadedException e) {
      // The conversion has its room already.
      assertThat(e).hasMessageContaining("of writes are under way");
    }
  }

  private static int allRoom(TestEngine test) {
    return Objects.requireNonNull(test.engine().figures().get("write_bytes_max")).intValue();
  }
}
