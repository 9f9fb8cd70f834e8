package dev.varve.layout.opentsdb;

import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Merges the points of a row into one cell, as the original's compaction queue does if configured
 * to fix duplicates.
 *
 * <pre>
 *  qualifier                          value
 * +-------+-------+-----------+      +-------+-------+-------+----+
 * | entry | entry | entry ... |      | value | value | ...   | 00 |   01: seconds and milliseconds
 * +-------+-------+-----------+      +-------+-------+-------+----+
 * </pre>
 */
final class RowCompaction {
  /** A cursor over the points of one of the merged columns. */
  private static final class Entries implements Comparable<Entries> {
    private final CellBatch cells;
    private final int cell;
    private final boolean single;
    private int at;
    private int value;

    private Entries(CellBatch cells, int cell, boolean single) {
      this.cells = cells;
      this.cell = cell;
      this.single = single;
      at = cells.qualifierOffset(cell);
      value =
          single
              ? cells.valueOffset(cell) + cells.valueLength(cell) - valueLength()
              : cells.valueOffset(cell);
    }

    private int flags() {
      return single ? Columns.pointFlags(cells, cell) : PointCodec.flags(cells.bytes(), at);
    }

    private int valueLength() {
      return PointCodec.checkedLength(flags());
    }

    private int offset() {
      return PointCodec.offset(cells.bytes(), at);
    }

    private boolean millis() {
      return PointCodec.millis(cells.bytes()[at]);
    }

    private void writeTo(KeyBytes qualifiers, KeyBytes values) {
      byte[] bytes = cells.bytes();
      int length = millis() ? 4 : 2;
      qualifiers.raw(bytes, at, length - 1);
      qualifiers.u8((bytes[at + length - 1] & 0xf0) | flags());
      values.raw(bytes, value, valueLength());
    }

    /** Moves to the next point; returns false at the end. */
    private boolean advance() {
      value += valueLength();
      at += millis() ? 4 : 2;
      return at < cells.qualifierOffset(cell) + cells.qualifierLength(cell);
    }

    /**
     * Orders by time; at the same instant the newest cell comes first, then the first in the row.
     * The first point of each instant is kept.
     */
    @Override
    public int compareTo(Entries other) {
      int order = Integer.compare(offset(), other.offset());
      if (order == 0) {
        order = Long.compare(other.cells.time(other.cell), cells.time(cell));
      }
      return order != 0 ? order : Integer.compare(cell, other.cell);
    }
  }

  private final CellBatch cells;
  private final long base;
  private final List<Integer> columns = new ArrayList<>();
  private final PriorityQueue<Entries> heap = new PriorityQueue<>();
  private final KeyBytes qualifiers = new KeyBytes();
  private final KeyBytes values = new KeyBytes();
  private boolean appended;
  private boolean mended;
  private int points;
  private boolean seconds;
  private boolean millis;

  private RowCompaction(CellBatch cells, long base) {
    this.cells = cells;
    this.base = base;
  }

  /**
   * Compacts a row.
   *
   * @param base the base time of the row, in ms since 1970
   * @return whether there is anything to write
   * @throws dev.varve.layout.DamagedCellException if a column is damaged; {@code out} is unchanged
   *     then
   */
  static boolean compact(CellBatch cells, int from, int to, long base, MutationBatch out) {
    RowCompaction compaction = new RowCompaction(cells, base);
    for (int cell = from; cell < to; cell++) {
      compaction.take(cell);
    }
    if (compaction.appended || compaction.nothingToMerge()) {
      return false;
    }
    compaction.merge();
    return compaction.write(out);
  }

  private void take(int cell) {
    Columns.Content content = Columns.content(cells, cell);
    if (!content.points()) {
      return;
    }
    Columns.check(content, cells, cell, base);
    if (content == Columns.Content.APPENDED) {
      appended = true;
      return;
    }
    boolean single = content == Columns.Content.POINT;
    Entries entries = new Entries(cells, cell, single);
    if (single) {
      mended |=
          entries.flags() != PointCodec.flags(cells.bytes(), entries.at)
              || entries.valueLength() != cells.valueLength(cell);
    }
    columns.add(cell);
    heap.add(entries);
  }

  private boolean nothingToMerge() {
    return heap.isEmpty() || (heap.size() == 1 && heap.element().single && !mended);
  }

  private void merge() {
    int before = -1;
    while (!heap.isEmpty()) {
      Entries next = heap.remove();
      if (next.offset() != before) {
        before = next.offset();
        next.writeTo(qualifiers, values);
        points++;
        millis |= next.millis();
        seconds |= !next.millis();
      }
      if (next.advance()) {
        heap.add(next);
      }
    }
    if (points > 1) {
      values.u8(millis && seconds ? Columns.MIXED_UNITS : Columns.ONE_UNIT);
    }
  }

  private boolean write(MutationBatch out) {
    Bytes row = cells.row(columns.getFirst());
    Bytes qualifier = qualifiers.toBytes();
    Bytes value = values.toBytes();
    boolean stands = false;
    long newest = Long.MIN_VALUE;
    List<Integer> absorbed = new ArrayList<>(columns.size());
    for (int cell : columns) {
      newest = Math.max(newest, cells.time(cell));
      if (cells.qualifier(cell).equals(qualifier)) {
        stands = cells.value(cell).equals(value);
      } else {
        absorbed.add(cell);
      }
    }
    if (!stands) {
      out.put(row, OpenTsdbLayout.POINTS, qualifier, newest, value);
    }
    for (int cell : absorbed) {
      TimeRange upToIt = TimeRange.closed(Long.MIN_VALUE, cells.time(cell));
      out.deleteColumn(row, OpenTsdbLayout.POINTS, cells.qualifier(cell), upToIt);
    }
    return !stands || !absorbed.isEmpty();
  }
}
