package dev.varve.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySpec;
import dev.varve.store.Limits;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TimeUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Data survives a close, and a closed store fails every call. */
final class ClosePromises {
  private ClosePromises() {}

  static List<ContractTest> tests() {
    return List.of(
        new ContractTest("keeps synced cells over a close", lab -> keeps(lab, Durability.SYNCED)),
        new ContractTest("keeps ordered cells over a close", lab -> keeps(lab, Durability.ORDERED)),
        new ContractTest("keeps versions and deletes over a close", ClosePromises::keepsDeletes),
        new ContractTest("keeps what powers wrote over a close", ClosePromises::keepsPowers),
        new ContractTest("keeps how a table was made over a close", ClosePromises::keepsSpec),
        new ContractTest("fails every call once it is closed", ClosePromises::failsClosed),
        new ContractTest("closes with cursors left open", ClosePromises::openCursors),
        new ContractTest("closes under reads and writes", ClosePromises::closesUnderUse));
  }

  private static void keeps(Lab lab, Durability durability) {
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      cells.add(Lab.cell("row%03d".formatted(i), Lab.LATEST, "q", i, "value " + i));
      cells.add(Lab.cell("row%03d".formatted(i), Lab.ALL, "q", lab.time(i), "at " + i));
    }
    assertThat(lab.table("t").apply(Lab.puts(cells), durability)).isEmpty();
    lab.reopen();
    assertThat(lab.store().tables()).containsExactly("t");
    assertThat(Lab.readAll(lab.table("t"))).isEqualTo(cells);
    lab.reopen();
    assertThat(Lab.readAll(lab.table("t"))).isEqualTo(cells);
  }

  private static void keepsDeletes(Lab lab) {
    Table table = lab.table("t");
    for (int time = 0; time < 4; time++) {
      Lab.put(
          table,
          Lab.cell("a", Lab.TWO, "q", lab.time(time), "a" + time),
          Lab.cell("b", Lab.TWO, "q", lab.time(time), "b" + time),
          Lab.cell("c", Lab.LATEST, "q", time, "c" + time));
    }
    MutationBatch delete = new MutationBatch();
    delete.deleteRow(Lab.text("a"));
    Lab.apply(table, delete);
    lab.table("dropped");
    lab.store().drop("dropped");
    lab.reopen();
    assertThat(lab.store().tables()).containsExactly("t");
    assertThat(Lab.values(Lab.readAll(lab.table("t")))).containsExactly("b3", "b2", "c3");
  }

  private static void keepsPowers(Lab lab) {
    Table table = lab.table("t");
    Lab.put(table, Lab.cell("a", Lab.LATEST, "q", 1, "put"));
    table
        .power(Power.ConditionalPut.class)
        .ifPresent(
            power -> power.putIf(Lab.cell("a", Lab.LATEST, "q", 2, "put again"), Lab.text("put")));
    table
        .power(Power.Increment.class)
        .ifPresent(power -> power.add(Lab.text("b"), Lab.LATEST, Lab.text("q"), 7, 1));
    table.power(Power.RangeDelete.class).ifPresent(power -> power.deleteRows(Lab.text("c"), null));
    List<Cell> before = Lab.readAll(table);
    lab.reopen();
    assertThat(Lab.readAll(lab.table("t"))).isEqualTo(before);
  }

  private static void keepsSpec(Lab lab) {
    FamilySpec family = new FamilySpec("f", TimeUse.DATA, 3);
    lab.store().open(Lab.spec("t", family), OpenMode.CREATE_IF_ABSENT);
    lab.reopen();
    lab.store().open(Lab.spec("t", family), OpenMode.READ_WRITE).close();
    TablePromises.assertRefusesOthers(lab, family);
  }

  private static void failsClosed(Lab lab) {
    Table table = lab.table("t");
    Lab.put(table, Lab.cell("r", Lab.LATEST, "q", 1, "v"));
    CellCursor open = table.read(Lab.everything(), null);
    Store store = lab.store();
    store.close();
    store.close();
    CellBatch page = new CellBatch();
    MutationBatch batch = Lab.puts(List.of(Lab.cell("r", Lab.LATEST, "q", 1, "v")));
    List<ThrowingCallable> calls =
        List.of(
            () -> table.apply(batch, Durability.SYNCED),
            () -> Lab.readAll(table),
            () -> open.next(page),
            () -> store.open(Lab.spec("t"), OpenMode.READ_ONLY),
            () -> store.check(Lab.spec("t"), Set.of()),
            store::tables,
            store::figures,
            () -> store.drop("t"));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call).isInstanceOf(StoreException.class).hasMessageContaining("closed");
    }
    open.close();
    table.close();
  }

  private static void openCursors(Lab lab) {
    Table table = lab.table("t");
    for (int i = 0; i < 100; i++) {
      Lab.put(table, Lab.cell("row" + i, Lab.LATEST, "q", 1, "v"));
    }
    CellBatch page = new CellBatch();
    List<CellCursor> cursors = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      CellCursor cursor = table.read(Lab.everything().with(Limits.NONE.withPageCells(1 + i)), null);
      assertThat(cursor.next(page)).isTrue();
      cursors.add(cursor);
    }
    lab.reopen();
    for (CellCursor cursor : cursors) {
      assertThatThrownBy(() -> cursor.next(page)).isInstanceOf(StoreException.class);
      cursor.close();
    }
    Lab.put(lab.table("t"), Lab.cell("after", Lab.LATEST, "q", 1, "v"));
  }

  private static void closesUnderUse(Lab lab) throws Exception {
    for (int round = 0; round < 5; round++) {
      Table table = lab.table("t");
      CountDownLatch used = new CountDownLatch(10);
      try (ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();
          ExecutorService platform = Executors.newFixedThreadPool(3)) {
        List<Future<Boolean>> ends = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          ends.add((i % 2 == 0 ? virtual : platform).submit(user(table, i, used)));
        }
        boolean inUse = used.await(10, TimeUnit.SECONDS);
        lab.reopen();
        assertThat(inUse).as("the table is in use").isTrue();
        for (Future<Boolean> end : ends) {
          assertThat(end.get()).as("ended because the store was closed").isTrue();
        }
      }
    }
    Lab.put(lab.table("t"), Lab.cell("after", Lab.LATEST, "q", 1, "v"));
  }

  /**
   * Returns a task that uses the table until the store is closed, and returns whether the error
   * said so.
   */
  private static Callable<Boolean> user(Table table, int number, CountDownLatch used) {
    return () -> {
      try {
        for (int call = 0; ; call++) {
          if (number % 3 == 0) {
            Lab.readAll(table);
          } else {
            Lab.put(table, Lab.cell("row" + call % 50, Lab.LATEST, "q" + number, call, "v"));
          }
          used.countDown();
          // There may be fewer processors than virtual threads, and calls need not block.
          LockSupport.parkNanos(1_000);
        }
      } catch (StoreException e) {
        return String.valueOf(e.getMessage()).contains("closed");
      }
    };
  }
}
