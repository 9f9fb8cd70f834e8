package dev.varve.engine.check;

import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.DamagedStoreException;
import dev.varve.store.FamilySelect;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowSpan;
import dev.varve.store.Slice;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads all cells of a table and skips damaged places. Used by one thread. */
final class TableScan {
  /** Maximum lifetime of a cursor: its snapshot keeps the store from freeing space. */
  private static final Duration SNAPSHOT_MAX = Duration.ofMinutes(1);

  private final Table table;
  private final CheckRun run;
  private final Consumer<String> damaged;
  private Bytes lastRow = Bytes.EMPTY;

  /** Receives the rows of a scan. */
  interface Rows {
    /** Receives cells {@code from} (inclusive) to {@code to} (exclusive), all of one row. */
    void take(CellBatch page, int from, int to);
  }

  /**
   * @param damaged receives a description of each place that could not be read
   */
  TableScan(Table table, CheckRun run, Consumer<String> damaged) {
    this.table = table;
    this.run = run;
    this.damaged = damaged;
  }

  /**
   * Reads the whole table.
   *
   * @return whether nothing was skipped
   */
  boolean run(Rows rows) {
    boolean whole = true;
    Bytes from = Bytes.EMPTY;
    while (true) {
      try {
        scan(from, rows);
        return whole;
      } catch (DamagedStoreException e) {
        whole = false;
        damaged.accept(String.valueOf(e.getMessage()));
        Bytes next = rowAfter(e);
        if (next == null || next.compareTo(from) <= 0) {
          damaged.accept(
              "table '%s' could not be read from row %s on"
                  .formatted(table.spec().name(), lastRow));
          return false;
        }
        from = next;
      } catch (StoreException e) {
        damaged.accept(
            "table '%s' could not be read after row %s: %s"
                .formatted(table.spec().name(), lastRow, e.getMessage()));
        return false;
      }
    }
  }

  /** Returns the first row after the damage; null if unknown. */
  private @Nullable Bytes rowAfter(DamagedStoreException e) {
    Bytes next = null;
    for (var damage : e.damage()) {
      for (RowSpan span : damage.rows()) {
        Bytes to = span.to();
        if (span.table().equals(table.spec().name()) && to != null) {
          next = to.successor();
        }
      }
    }
    return next;
  }

  private void scan(Bytes from, Rows rows) {
    List<FamilySelect> families = new ArrayList<>();
    for (int family = 0; family < table.spec().families().size(); family++) {
      families.add(FamilySelect.all(family));
    }
    ReadPlan plan = ReadPlan.of(List.of(Slice.rows(Bytes.EMPTY, from, null)), families);
    ResumeToken token = null;
    boolean more = true;
    while (more) {
      try (CellCursor cursor = table.read(plan, token)) {
        more = pull(cursor, rows);
        token = cursor.token();
      }
    }
  }

  /**
   * Reads until the end of the table or until the snapshot is too old. Returns whether more rows
   * may follow.
   */
  private boolean pull(CellCursor cursor, Rows rows) {
    CellBatch page = new CellBatch();
    long start = System.nanoTime();
    while (System.nanoTime() - start < SNAPSHOT_MAX.toNanos()) {
      if (!cursor.next(page)) {
        return false;
      }
      int count = 0;
      int end;
      for (int first = 0; first < page.size(); first = end) {
        end = first + 1;
        while (end < page.size() && page.sameRow(first, end)) {
          end++;
        }
        rows.take(page, first, end);
        count++;
      }
      lastRow = page.row(page.size() - 1);
      run.read(count, page.size(), page.byteCount());
    }
    return true;
  }
}
