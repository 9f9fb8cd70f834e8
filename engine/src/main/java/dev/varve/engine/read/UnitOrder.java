package dev.varve.engine.read;

import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyPart;
import dev.varve.layout.RowShape;
import java.util.Arrays;
import java.util.Comparator;

/**
 * Tells which row of the strands of a group comes next, and which rows make one unit. Used by one
 * thread.
 */
sealed interface UnitOrder {
  /** Puts the strand first whose row comes next. */
  Comparator<StrandCursor> strands();

  /** Starts a unit with the row of a strand. */
  void begin(StrandCursor first);

  /** Whether the row of a strand, the next of all, belongs to the unit that was started. */
  boolean takes(StrandCursor next);

  /**
   * By the bytes of the keys, as rows stand in a table: a unit has series, field and time in
   * common.
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
   * By the times that the keys say, where rows of one series are read side by side that an index
   * has named: their bytes need not be in the order of time, and a row may start before the one
   * before it ends. A unit is all rows that lie over one another.
   */
  final class ByTime implements UnitOrder {
    private final RowShape shape;
    private final KeyPart.Time part;
    private final boolean rising;
    private long from;
    private long to;

    /**
     * An order for the rows of one series.
     *
     * @param shape with a part that carries time
     * @param rising whether the strands give their rows from the earliest on
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
