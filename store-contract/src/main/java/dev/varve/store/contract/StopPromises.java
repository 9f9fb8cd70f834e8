package dev.varve.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.TimeRange;
import dev.varve.store.Budget;
import dev.varve.store.BudgetExceededException;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.Limits;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A read stops when its budget is exhausted and when it is cancelled. */
final class StopPromises {
  private static final int ROWS = 200;
  private static final int CELLS_A_ROW = 10;
  private static final int CELLS = ROWS * CELLS_A_ROW;
  private static final String[] FIRST_BYTES = {"k", "l", "m", "n"};

  /** Maximum time until a cancel takes effect. */
  private static final long CANCEL_MILLIS = 100;

  private StopPromises() {}

  static List<ContractTest> tests() {
    List<ContractTest> tests = new ArrayList<>(ofReads());
    tests.add(
        new ContractTest(
            "sees a cancel during a pull on a virtual thread within 100 ms",
            lab -> cancelDuring(lab, Thread.ofVirtual())));
    tests.add(new ContractTest("reads on after another read was cancelled", StopPromises::others));
    tests.add(new ContractTest("fails on a closed cursor", StopPromises::closedCursor));
    return tests;
  }

  /** Returns the promises about a single read. */
  static List<ContractTest> ofReads() {
    return List.of(
        new ContractTest("reads what its budget allows", StopPromises::withinBudget),
        new ContractTest("reads no cell more than its budget", StopPromises::cellBudget),
        new ContractTest("reads no byte more than its budget", StopPromises::byteBudget),
        new ContractTest("spends its budget on what it only looks at", StopPromises::lookedAt),
        new ContractTest("tells what a read cost", StopPromises::cost),
        new ContractTest("fails every pull after a cancel", StopPromises::cancelBefore),
        new ContractTest(
            "sees a cancel during a pull within 100 ms",
            lab -> cancelDuring(lab, Thread.ofPlatform())));
  }

  private static Table filled(Lab lab) {
    Table table = lab.table("t");
    MutationBatch batch = new MutationBatch();
    for (int row = 0; row < ROWS; row++) {
      for (int i = 0; i < CELLS_A_ROW; i++) {
        batch.put(
            Lab.text("%s%05d".formatted(FIRST_BYTES[row / (ROWS / FIRST_BYTES.length)], row)),
            Lab.LATEST,
            Lab.text("q" + i),
            1,
            Lab.text("value"));
      }
    }
    Lab.apply(table, batch);
    return table;
  }

  private static ReadPlan plan(Lab lab) {
    return ReadPlan.of(lab.slices(FIRST_BYTES), List.of(FamilySelect.latest(Lab.LATEST)))
        .with(Limits.NONE.withPageCells(16));
  }

  private static long bytes() {
    return (long) CELLS * ("k00000".length() + "q0".length() + "value".length());
  }

  private static void withinBudget(Lab lab) {
    Table table = filled(lab);
    assertThat(Lab.read(table, plan(lab).with(new Budget(CELLS, bytes())))).hasSize(CELLS);
  }

  private static void cellBudget(Lab lab) {
    assertStops(lab, new Budget(CELLS / 2, Long.MAX_VALUE), CELLS / 2);
  }

  private static void byteBudget(Lab lab) {
    assertStops(lab, new Budget(Long.MAX_VALUE, bytes() / 2), CELLS / 2);
  }

  private static void assertStops(Lab lab, Budget budget, int most) {
    Table table = filled(lab);
    List<Cell> cells = new ArrayList<>();
    try (CellCursor cursor = table.read(plan(lab).with(budget), null)) {
      assertThatThrownBy(() -> pull(cursor, cells))
          .isInstanceOf(BudgetExceededException.class)
          .hasMessageContaining("budget");
      assertThat(cursor.cost().cellsRead()).isLessThanOrEqualTo(budget.cellsRead());
      assertThat(cursor.cost().bytesRead()).isLessThanOrEqualTo(budget.bytesRead());
    }
    assertThat(cells).hasSizeLessThanOrEqualTo(most);
  }

  private static void pull(CellCursor cursor, List<Cell> into) {
    CellBatch page = new CellBatch();
    while (cursor.next(page)) {
      Lab.addAll(page, into);
    }
  }

  private static void lookedAt(Lab lab) {
    Table table = filled(lab);
    ReadPlan none =
        ReadPlan.of(
            plan(lab).slices(),
            List.of(new FamilySelect(Lab.LATEST, List.of(), new TimeRange(5, 9), 1)));
    assertThat(Lab.read(table, none)).isEmpty();
    assertThatThrownBy(() -> Lab.read(table, none.with(new Budget(CELLS / 2, Long.MAX_VALUE))))
        .isInstanceOf(BudgetExceededException.class);
  }

  private static void cost(Lab lab) {
    Table table = filled(lab);
    List<Cell> cells = new ArrayList<>();
    try (CellCursor cursor = table.read(plan(lab), null)) {
      assertThat(cursor.cost().cellsReturned()).isZero();
      pull(cursor, cells);
      ReadCost cost = cursor.cost();
      assertThat(cost.cellsReturned()).isEqualTo(CELLS);
      assertThat(cost.bytesReturned()).isEqualTo(bytes());
      assertThat(cost.rows()).isBetween((long) ROWS, ROWS + 1L);
      assertThat(cost.cellsRead()).isBetween((long) CELLS, 2L * CELLS);
      assertThat(cost.bytesRead()).isBetween(bytes(), 2L * bytes());
      assertThat(cost.requests()).isPositive();
    }
  }

  private static void cancelBefore(Lab lab) {
    Table table = filled(lab);
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan(lab), null)) {
      cursor.cancel();
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> cursor.next(page)).isInstanceOf(ReadCancelledException.class);
      }
    }
    try (CellCursor cursor = table.read(plan(lab), null)) {
      assertThat(cursor.next(page)).isTrue();
      cursor.cancel();
      cursor.cancel();
      assertThatThrownBy(() -> cursor.next(page)).isInstanceOf(ReadCancelledException.class);
      assertThatThrownBy(() -> cursor.next(page)).isInstanceOf(ReadCancelledException.class);
    }
  }

  /**
   * Cancels reads that scan the same rows repeatedly without finding anything. The machine may be
   * slow to schedule the waiting thread, so the best of several rounds counts.
   */
  private static void cancelDuring(Lab lab, Thread.Builder threads) throws Exception {
    Table table = filled(lab);
    List<Slice> all = plan(lab).slices();
    ReadPlan endless =
        ReadPlan.of(
            Stream.generate(() -> all).limit(100_000 / all.size()).flatMap(List::stream).toList(),
            List.of(new FamilySelect(Lab.LATEST, List.of(), new TimeRange(5, 9), 1)));
    long best = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      CountDownLatch pulling = new CountDownLatch(1);
      try (CellCursor cursor = table.read(endless, null)) {
        FutureTask<Long> cancelled =
            new FutureTask<>(() -> {
              pulling.countDown();
              assertThatThrownBy(() -> cursor.next(new CellBatch()))
                  .isInstanceOf(ReadCancelledException.class);
              return System.nanoTime();
            });
        Thread thread = threads.start(cancelled);
        pulling.await();
        Thread.sleep(20);
        assertThat(thread.isAlive()).as("the pull is under way").isTrue();
        long start = System.nanoTime();
        cursor.cancel();
        best = Math.min(best, cancelled.get(10, TimeUnit.SECONDS) - start);
      }
    }
    assertThat(TimeUnit.NANOSECONDS.toMillis(best)).isLessThanOrEqualTo(CANCEL_MILLIS);
  }

  private static void others(Lab lab) {
    Table table = filled(lab);
    CellBatch page = new CellBatch();
    try (CellCursor one = table.read(plan(lab), null);
        CellCursor other = table.read(plan(lab), null)) {
      assertThat(one.next(page)).isTrue();
      one.cancel();
      assertThat(Lab.drain(other)).hasSize(CELLS);
    }
  }

  private static void closedCursor(Lab lab) {
    Table table = filled(lab);
    CellCursor cursor = table.read(plan(lab), null);
    CellBatch page = new CellBatch();
    assertThat(cursor.next(page)).isTrue();
    cursor.close();
    cursor.close();
    assertThatThrownBy(() -> cursor.next(page)).isInstanceOf(StoreException.class);
    CellCursor unused = table.read(plan(lab), null);
    unused.close();
    CellCursor exhausted = table.read(plan(lab), null);
    Lab.drain(exhausted);
    assertThat(exhausted.next(page)).isFalse();
    exhausted.close();
    assertThat(Lab.read(table, plan(lab).with(Limits.NONE.withRows(1)))).hasSize(CELLS_A_ROW);
  }
}
