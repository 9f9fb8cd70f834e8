package dev.varve.store.bigtable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.devstores.BigtableEmulator;
import dev.varve.devstores.Wire;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bigtable fails during writes, and recovers. */
class OutageIT {
  private static final int ROWS = 25;
  private static final TableSpec SPEC =
      new TableSpec(
          "t",
          List.of(FamilySpec.latest("c"), FamilySpec.latest("d")),
          Resolution.MICROSECONDS,
          Partitioning.NONE);

  @TempDir private Path directory;
  private BigtableEmulator emulator;
  private final Map<Status, Set<Bytes>> rows = new EnumMap<>(Status.class);

  @BeforeEach
  void start() {
    emulator = BigtableEmulator.start(directory);
    for (Status status : Status.values()) {
      rows.put(status, ConcurrentHashMap.newKeySet());
    }
  }

  @AfterEach
  void stop() {
    emulator.close();
  }

  private Store open(int port) {
    return new BigtableStoreProvider()
        .open(
            directory,
            0,
            Map.of(
                "emulator", "127.0.0.1:" + port,
                "timeout", "1500ms",
                "attempt-timeout", "500ms",
                "retries", "10"));
  }

  @Test
  void nothingThatWasAcknowledgedIsMissingAfterTheWayWasCut() throws Exception {
    try (Wire wire = new Wire(emulator.port());
        Store store = open(wire.port());
        ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
      Table table = table(store);
      AtomicBoolean done = new AtomicBoolean();
      List<Future<?>> ends =
          List.of(0, 1, 2, 3).stream()
              .<Future<?>>map(writer -> writers.submit(() -> write(table, writer, done)))
              .toList();
      for (int round = 0; round < 3; round++) {
        await(Status.APPLIED);
        wire.loseAnswers();
        Thread.sleep(800);
        wire.cut();
        Thread.sleep(1200);
        wire.mend();
      }
      await(Status.APPLIED);
      done.set(true);
      for (Future<?> end : ends) {
        end.get();
      }
      Set<Bytes> found = readRows(table);
      assertThat(found).as("acknowledged rows").containsAll(rows(Status.APPLIED));
      assertThat(rows(Status.NOT_APPLIED))
          .as("rows reported as not applied")
          .noneMatch(found::contains);
      assertThat(rows(Status.UNKNOWN)).as("rows of unknown outcome").isNotEmpty();
      assertThat(rows(Status.REJECTED)).isEmpty();
    }
  }

  @Test
  void aKilledServerAppliesNothingAndIsReadAgainOnceItIsBack() throws Exception {
    try (Store store = open(emulator.port())) {
      Table table = table(store);
      writeRows(table, "before");
      assertThat(readRows(table)).hasSize(ROWS).isEqualTo(rows(Status.APPLIED));
      emulator.kill();
      rows(Status.APPLIED).clear();
      writeRows(table, "while it is away");
      assertThat(rows(Status.APPLIED)).isEmpty();
      assertThat(rows(Status.NOT_APPLIED).size() + rows(Status.UNKNOWN).size()).isEqualTo(ROWS);
      assertThatThrownBy(() -> readRows(table))
          .isInstanceOf(StoreException.class)
          .hasMessageMatching(
              "(?s)reading table 't': (DEADLINE_EXCEEDED nothing arrived for|UNAVAILABLE ).*");
      emulator.restart();
      awaitTables(store);
      // It has lost everything, including the table.
      table(store).close();
      assertThat(readRows(table)).isEmpty();
      writeRows(table, "after");
      assertThat(readRows(table)).hasSize(ROWS).isEqualTo(rows(Status.APPLIED));
    }
  }

  /** Returns the rows with an outcome. */
  private Set<Bytes> rows(Status status) {
    return Objects.requireNonNull(rows.get(status));
  }

  /** Waits for another row with an outcome. */
  private void await(Status status) throws InterruptedException {
    int before = rows(status).size();
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (rows(status).size() == before) {
      assertThat(System.nanoTime()).as("time of a row that is " + status).isLessThan(deadline);
      Thread.sleep(10);
    }
  }

  /** Waits until the store has reconnected to its server, which must take only seconds. */
  private static void awaitTables(Store store) {
    assertThat(again(store::tables)).isEmpty();
  }

  /**
   * Opens the table and creates it if missing. On a busy machine that may need several attempts.
   */
  private static Table table(Store store) {
    return again(() -> store.open(SPEC, Store.OpenMode.CREATE_IF_ABSENT));
  }

  private static <T> T again(Supplier<T> call) {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (true) {
      try {
        return call.get();
      } catch (StoreException e) {
        assertThat(System.nanoTime()).as(e.getMessage()).isLessThan(deadline);
      }
    }
  }

  private void write(Table table, int writer, AtomicBoolean done) {
    for (int batch = 0; !done.get(); batch++) {
      writeRows(table, "%d/%d".formatted(writer, batch));
    }
  }

  /** Writes new rows and records the outcome of each. */
  private void writeRows(Table table, String name) {
    MutationBatch batch = new MutationBatch();
    for (int i = 0; i < ROWS; i++) {
      batch.put(row(name, i), 0, Bytes.utf8("q"), 1_700_000_000_000_001L, Bytes.utf8(name));
      batch.put(row(name, i), 1, Bytes.utf8("q"), 1_700_000_000_000_001L, Bytes.utf8(name));
    }
    List<RowOutcome> outcomes = table.apply(batch, Durability.SYNCED);
    for (int i = 0; i < ROWS; i++) {
      Status status = outcomes.isEmpty() ? Status.APPLIED : outcomes.get(i).status();
      rows(status).add(row(name, i));
    }
  }

  private static Bytes row(String name, int number) {
    return Bytes.utf8(name + "/" + number);
  }

  /** Returns the rows of the table, each of which must be complete. */
  private static Set<Bytes> readRows(Table table) {
    ReadPlan plan =
        ReadPlan.of(
            List.of(Slice.partition(Bytes.EMPTY)),
            List.of(FamilySelect.latest(0), FamilySelect.latest(1)));
    Set<Bytes> found = new TreeSet<>();
    int cells = 0;
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        cells += page.size();
        for (int i = 0; i < page.size(); i++) {
          found.add(page.row(i));
        }
      }
    }
    assertThat(cells).as("cells of %d rows", found.size()).isEqualTo(2 * found.size());
    return found;
  }
}
