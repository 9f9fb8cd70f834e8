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

/** Reads all cells of a table, past places that are damaged. Used by one thread. */
final class TableScan {
  /** A cursor is a snapshot, which keeps a store from freeing space. */
  private static final Duration SNAPSHOT_MAX = Duration.ofMinutes(1);

  private final Table table;
  private final CheckRun run;
  private final Consumer<String> damaged;
  private Bytes lastRow = Bytes.EMPTY;

  /** Takes what a scan reads. */
  interface Rows {
    /** Takes cells {@code from} to {@code to} (exclusive), which are of one row. */
    void take(CellBatch page, int from, int to);
  }

  /**
   * Prepares.
   *
   * @param damaged told of each place that could not be read
   */
  TableScan(Table table, CheckRun run, Consumer<String> damaged) {
    this.table = table;
    this.run = run;
    this.damaged = damaged;
  }

  /**
   * Reads all.
   *
   * @return whether nothing had to be left out
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
        Bytes next = behind(e);
        if (next == null || next.compareTo(from) <= 0) {
          damaged.accept(
              "table '%s' could not be read from row %s on"
                  .formatted(table.spec().name(), lastRow));
          return false;
        }
        from = next;
      } catch (StoreException e) {
        damaged.accept(
            "table '%s' could not be read behind row %s: %s"
                .formatted(table.spec().name(), lastRow, e.getMessage()));
        return false;
      }
    }
  }

  /** The first row that the damage does not touch; null where nobody can tell. */
  private @Nullable Bytes behind(DamagedStoreException e) {
    Bytes behind = null;
    for (var damage : e.damage()) {
      for (RowSpan span : damage.rows()) {
        Bytes to = span.to();
        if (span.table().equals(table.spec().name()) && to != null) {
          behind = to.successor();
        }
      }
    }
    return behind;
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

  /** Reads on for as long as a snapshot may be kept; says whether there may be more. */
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
