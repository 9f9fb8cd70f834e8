package dev.varve.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

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
import dev.varve.store.Slice;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.WriteHold;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of stores that are written to. */
class HeldWritesTest {
  private static final TableSpec SPEC =
      new TableSpec(
          "t", List.of(FamilySpec.latest("c")), Resolution.MILLISECONDS, Partitioning.NONE);

  @TempDir private Path directory;

  @Test
  void copiesWhatWasAcknowledgedAndHoldsWhatFollows() throws Exception {
    Path copy = directory.resolve("copy");
    try (RocksStore store = open("live");
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Table table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
      put(table, 0, 100);
      Future<?> waiting;
      try (WriteHold hold = store.holdWrites()) {
        waiting = threads.submit(() -> put(table, 100, 101));
        hold.copyTo(copy);
        Thread.sleep(20);
        assertThat(waiting.isDone()).isFalse();
      }
      waiting.get(10, TimeUnit.SECONDS);
      put(table, 101, 110);
      assertThat(count(table)).isEqualTo(110);
    }
    try (RocksStore store = open("copy")) {
      assertThat(store.damage()).isEmpty();
      assertThat(count(store.open(SPEC, OpenMode.READ_ONLY))).isEqualTo(100);
    }
    try (RocksStore store = open("live")) {
      assertThat(count(store.open(SPEC, OpenMode.READ_ONLY))).isEqualTo(110);
    }
  }

  @Test
  void aCopyIsAStoreThatCanBeWrittenWithoutTouchingTheOther() {
    try (RocksStore store = open("live")) {
      put(store.open(SPEC, OpenMode.CREATE_IF_ABSENT), 0, 10);
      try (WriteHold hold = store.holdWrites()) {
        hold.copyTo(directory.resolve("copy"));
      }
      try (RocksStore other = open("copy")) {
        put(other.open(SPEC, OpenMode.READ_WRITE), 10, 20);
        assertThat(count(other.open(SPEC, OpenMode.READ_ONLY))).isEqualTo(20);
      }
      assertThat(count(store.open(SPEC, OpenMode.READ_ONLY))).isEqualTo(10);
    }
  }

  private RocksStore open(String name) {
    return new RocksStore(directory.resolve(name), RocksOptions.DEFAULTS);
  }

  private static void put(Table table, int from, int to) {
    for (int i = from; i < to; i++) {
      MutationBatch batch = new MutationBatch();
      batch.put(Bytes.utf8("row" + i), 0, Bytes.utf8("q"), 7, Bytes.utf8("value" + i));
      assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
    }
  }

  private static int count(Table table) {
    ReadPlan plan =
        ReadPlan.of(
            List.of(Slice.rows(Bytes.EMPTY, Bytes.EMPTY, null)), List.of(FamilySelect.latest(0)));
    int count = 0;
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        count += page.size();
      }
    }
    return count;
  }
}
