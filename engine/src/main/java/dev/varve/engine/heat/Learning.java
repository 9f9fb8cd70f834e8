package dev.varve.engine.heat;

import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The first rows of a table that has no ranges yet, with exact counts, from which its first ranges
 * are made. Not safe for use by several threads.
 */
final class Learning {
  private static final int ROWS_MAX = 1024;

  /**
   * A row.
   *
   * @param load NONE if it is counted elsewhere
   */
  private record Row(byte[] key, long weight, Load load) {}

  private final List<Row> rows = new ArrayList<>();

  /**
   * Adds all cells of a batch, row by row, if there is room for them.
   *
   * @return false if the batch has too many rows; the keys of the first ones are then kept, but
   *     nothing of it is counted
   */
  boolean add(CellBatch cells, long micros, boolean write) {
    int before = rows.size();
    int end;
    for (int first = 0; first < cells.size(); first = end) {
      end = first + 1;
      while (end < cells.size() && cells.sameRow(first, end)) {
        end++;
      }
      if (isEnough()) {
        rows.subList(before, rows.size())
            .replaceAll(row -> new Row(row.key, row.weight, Load.NONE));
        return false;
      }
      rows.add(row(cells, first, end, micros, write));
    }
    return true;
  }

  private static Row row(CellBatch cells, int first, int end, long micros, boolean write) {
    long count = (long) end - first;
    long bytes = Stripe.bytes(cells, first, end - 1);
    int at = cells.rowOffset(first);
    int length = Math.min(cells.rowLength(first), KeyRanges.KEY_BYTES_MAX);
    return new Row(
        Arrays.copyOfRange(cells.bytes(), at, at + length),
        count,
        write
            ? new Load(0, count, 0, bytes, 0, count * micros)
            : new Load(count, 0, bytes, 0, count * micros, 0));
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  /** Returns whether enough rows are known. */
  boolean isEnough() {
    return rows.size() >= ROWS_MAX;
  }

  /** Returns ranges that share the load of the rows. */
  KeyRanges ranges() {
    List<Bounds.Weighed> weighed =
        rows.stream().map(row -> new Bounds.Weighed(Bytes.of(row.key), row.weight)).toList();
    return new KeyRanges(Bounds.of(weighed, Bounds.WANTED));
  }

  /** Moves the counts to a stripe that has the ranges. */
  void drainTo(Stripe stripe) {
    rows.forEach(row -> stripe.add(row.key, row.load));
    rows.clear();
  }
}
