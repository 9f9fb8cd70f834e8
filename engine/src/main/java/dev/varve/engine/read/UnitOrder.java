package dev.varve.engine.read;

import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyPart;
import dev.varve.layout.RowShape;
import java.util.Arrays;
import java.util.Comparator;

/**
 * Decides which row of the strands of a group is next, and which rows form a unit. Used by one
 * thread.
 */
sealed interface UnitOrder {
  /** Returns the order in which the strand with the next row is the least. */
  Comparator<StrandCursor> strands();

  /** Starts a unit with the current row of a strand. */
  void begin(StrandCursor first);

  /**
   * Returns whether the current row of a strand belongs to the current unit.
   *
   * @param next the strand with the next row
   */
  boolean takes(StrandCursor next);

  /**
   * Orders rows by the bytes of their keys, as tables do. The rows of a unit have the same series,
   * field and time.
   */
  final class ByKey implements UnitOrder {
    private final boolean forward;
    private final KeyBytes unit = new KeyBytes();

    ByKey(boolean forward) {
      this.forward = forward;
    }

    @Override
    public Comparator<StrandCursor> strands() {
      Comparator<StrandCursor> order = (a, b) -> compare(a.unit(), b.unit());
      return forward ? order : order.reversed();
    }

    private static int compare(KeyBytes a, KeyBytes b) {
      return Arrays.compareUnsigned(a.array(), 0, a.length(), b.array(), 0, b.length());
    }

    @Override
    public void begin(StrandCursor first) {
      unit.clear();
      unit.raw(first.unit().array(), 0, first.unit().length());
    }

    @Override
    public boolean takes(StrandCursor next) {
      return compare(unit, next.unit()) == 0;
    }
  }

  /**
   * Orders rows by the times in their keys. Used to read rows of one series in parallel that an
   * index lists: the bytes of their keys need not be in the order of time, and rows may overlap in
   * time. A unit consists of overlapping rows.
   */
  final class ByTime implements UnitOrder {
    private final RowShape shape;
    private final KeyPart.Time part;
    private final boolean rising;
    private long from;
    private long to;

    /**
     * @param shape a shape with a part that contains the time
     * @param rising whether the strands return rows in ascending order of time
     */
    ByTime(RowShape shape, boolean rising) {
      this.shape = shape;
      this.part = (KeyPart.Time) shape.parts().get(shape.lastTimePart());
      this.rising = rising;
    }

    private long time(StrandCursor strand) {
      int start = strand.cells().rowOffset(strand.from());
      int length = strand.cells().rowLength(strand.from());
      return shape.time(strand.cells().bytes(), start, start + length);
    }

    @Override
    public Comparator<StrandCursor> strands() {
      Comparator<StrandCursor> order = Comparator.comparingLong(this::time);
      return rising ? order : order.reversed();
    }

    @Override
    public void begin(StrandCursor first) {
      from = time(first);
      to = part.next(from);
    }

    @Override
    public boolean takes(StrandCursor next) {
      long time = time(next);
      long end = part.next(time);
      if (time >= to || from >= end) {
        return false;
      }
      from = Math.min(from, time);
      to = Math.max(to, end);
      return true;
    }
  }
}
