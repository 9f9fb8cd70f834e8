package dev.varve.engine.heat;

import dev.varve.engine.heat.HeatSlice.Range;
import dev.varve.engine.heat.HeatSlice.Stretch;
import dev.varve.model.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Ranges of rows in which the loads of several slices can be added up, although each slice has
 * ranges of its own. It uses those bounds that divide little load of any slice, and spreads evenly
 * those loads that it has to divide.
 */
final class HeatAxis {
  /** Shares of the whole load that a bound may divide; each is tried if the ones before fail. */
  private static final double[] TOLERANCES = {0.0005, 0.01, 1};

  /** Fewer rows than this, and fewer than half of those wanted, are too few for a tolerance. */
  private static final int ENOUGH = 16;

  /** All bounds of all slices, ascending. Interval i ends before bound i. */
  private final Bytes[] bounds;

  /** The load that each bound divides. */
  private final double[] divided;

  /** The load of each interval. */
  private final double[] heat;

  private final int firstInterval;
  private final int endInterval;

  /** The row of each interval; -1 outside of the rows to show. */
  private final int[] rowOf;

  private final List<Bytes> rows = new ArrayList<>();
  private double spread;
  private double shown;

  /** Receives a part of a range's load. */
  interface Sink {
    void add(int row, Load load);
  }

  /**
   * @param from the first row to show; empty for the first of all
   * @param to the row before which to end; null for the end of the table
   * @param count largest number of rows
   */
  HeatAxis(Collection<HeatSlice> slices, Bytes from, @Nullable Bytes to, int count) {
    TreeSet<Bytes> all = new TreeSet<>();
    for (HeatSlice slice : slices) {
      for (Range range : slice.ranges()) {
        Stretch sampled = range.sampled();
        all.add(range.from());
        if (sampled != null) {
          all.add(sampled.first());
          all.add(sampled.last().successor());
        }
      }
    }
    all.add(from);
    if (to != null) {
      all.add(to);
    }
    all.remove(Bytes.EMPTY);
    bounds = all.toArray(Bytes[]::new);
    divided = new double[bounds.length];
    heat = new double[bounds.length + 1];
    rowOf = new int[bounds.length + 1];
    firstInterval = interval(from);
    endInterval = to == null ? bounds.length + 1 : interval(to);
    slices.forEach(this::weigh);
    choose(count);
  }

  /** Returns the interval that has a row. */
  private int interval(Bytes row) {
    int found = Arrays.binarySearch(bounds, row);
    return found >= 0 ? found + 1 : -found - 1;
  }

  /** Returns the last interval that has rows before a bound; null means the end of the table. */
  private int intervalBefore(@Nullable Bytes bound) {
    if (bound == null) {
      return bounds.length;
    }
    int found = Arrays.binarySearch(bounds, bound);
    return found >= 0 ? found : -found - 1;
  }

  private int first(Range range) {
    Stretch sampled = range.sampled();
    return interval(sampled == null ? range.from() : sampled.first());
  }

  private int last(HeatSlice slice, int index) {
    List<Range> ranges = slice.ranges();
    Stretch sampled = ranges.get(index).sampled();
    if (sampled != null) {
      return intervalBefore(sampled.last().successor());
    }
    return intervalBefore(index + 1 == ranges.size() ? null : ranges.get(index + 1).from());
  }

  private void weigh(HeatSlice slice) {
    for (int i = 0; i < slice.ranges().size(); i++) {
      Range range = slice.ranges().get(i);
      double load = range.load().operations();
      if (load == 0) {
        continue;
      }
      int first = first(range);
      int last = last(slice, i);
      for (int interval = first; interval <= last; interval++) {
        heat[interval] += load / (last - first + 1);
        if (interval < last) {
          divided[interval] += load;
        }
      }
    }
  }

  private void choose(int count) {
    for (int interval = firstInterval; interval < endInterval; interval++) {
      shown += heat[interval];
    }
    for (double tolerance : TOLERANCES) {
      cut(count, tolerance * shown);
      if (rows.size() >= Math.min(ENOUGH, count / 2)) {
        return;
      }
    }
  }

  /** Makes rows of about the same load. */
  private void cut(int count, double tolerance) {
    rows.clear();
    Arrays.fill(rowOf, -1);
    double left = shown;
    double inRow = 0;
    int first = firstInterval;
    while (first < endInterval && heat[first] == 0) {
      first++;
    }
    for (int interval = first; interval < endInterval; interval++) {
      Bytes bound = interval == 0 ? Bytes.EMPTY : bounds[interval - 1];
      boolean fits = interval == 0 || divided[interval - 1] <= tolerance;
      double share = left / Math.max(1, count - rows.size() + 1);
      // Rows without load make no range of their own.
      boolean full =
          rows.size() < count
              && heat[interval] > 0
              && inRow > 0
              && inRow + heat[interval] / 2 >= share;
      if (rows.isEmpty() || (fits && full)) {
        left -= inRow;
        inRow = 0;
        rows.add(bound);
      }
      inRow += heat[interval];
      rowOf[interval] = rows.size() - 1;
    }
  }

  /** Returns the first key of each row. */
  List<Bytes> rows() {
    return rows;
  }

  /** Returns the share of the load, 0 to 1, whose place is known only to a few rows. */
  double spread() {
    return shown == 0 ? 0 : Math.min(1, spread / shown);
  }

  /** Adds the loads of a slice to the rows. */
  void add(HeatSlice slice, Sink into) {
    for (int i = 0; i < slice.ranges().size(); i++) {
      Range range = slice.ranges().get(i);
      if (range.load().operations() > 0) {
        divide(range.load(), first(range), last(slice, i), into);
      }
    }
  }

  private void divide(Load load, int first, int last, Sink into) {
    int parts = last - first + 1;
    if (rowOf[first] != rowOf[last]) {
      spread += load.operations();
    }
    int end;
    for (int from = first; from <= last; from = end) {
      end = from + 1;
      while (end <= last && rowOf[end] == rowOf[from]) {
        end++;
      }
      if (rowOf[from] >= 0) {
        into.add(rowOf[from], load.part(from - first, end - first, parts));
      }
    }
  }
}
