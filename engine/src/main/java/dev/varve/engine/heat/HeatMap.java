package dev.varve.engine.heat;

import dev.varve.model.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reads and writes of a table's rows, by ranges of rows and by time.
 *
 * @param from start of the first column, milliseconds since 1970
 * @param step width of a column in milliseconds
 * @param rows the first key of each range, ascending; a range ends where the next one starts, the
 *     last one where the request ends. Empty if nothing was counted
 * @param cells a list for each row, with a load for each column
 * @param spread the share of the load, 0 to 1, whose range is known only to a few rows, and which
 *     is spread over them
 */
public record HeatMap(
    long from, long step, int columns, List<Bytes> rows, List<List<Load>> cells, double spread) {
  private static final long MINUTE = 60_000;
  private static final long[] STEPS = {
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    60 * MINUTE,
    120 * MINUTE,
    240 * MINUTE,
    480 * MINUTE,
    1440 * MINUTE
  };

  /**
   * A request for a part of the heat map.
   *
   * @param from milliseconds since 1970, inclusive, not negative
   * @param to exclusive, greater than {@code from}
   * @param fromRow empty for the first row
   * @param toRow exclusive; null for the end of the table
   * @param rows largest number of ranges
   * @param columns largest number of columns, approximately; at least 1
   */
  public record Request(
      long from, long to, Bytes fromRow, @Nullable Bytes toRow, int rows, int columns) {
    /** Returns the same request for other rows. */
    public Request between(Bytes first, @Nullable Bytes end) {
      return new Request(from, to, first, end, rows, columns);
    }
  }

  public HeatMap {
    rows = List.copyOf(rows);
    cells = List.copyOf(cells);
  }

  /**
   * Adds up slices.
   *
   * @param slices those that start in the time of the request, of any servers
   */
  public static HeatMap of(Request request, List<HeatSlice> slices) {
    long coarsest = slices.stream().mapToLong(HeatHistory::width).max().orElse(0);
    long step = step(request, coarsest);
    long start = Math.floorDiv(request.from(), step) * step;
    int columns = (int) Math.ceilDiv(request.to() - start, step);
    if (slices.isEmpty()) {
      return new HeatMap(start, step, columns, List.of(), List.of(), 0);
    }
    HeatAxis axis = new HeatAxis(slices, request.fromRow(), request.toRow(), request.rows());
    Load[][] sums = new Load[axis.rows().size()][columns];
    for (Load[] row : sums) {
      Arrays.fill(row, Load.NONE);
    }
    for (HeatSlice slice : slices) {
      int column = (int) ((slice.from() - start) / step);
      axis.add(slice, (row, load) -> sums[row][column] = sums[row][column].plus(load));
    }
    List<List<Load>> cells = new ArrayList<>();
    for (Load[] row : sums) {
      cells.add(List.of(row));
    }
    return new HeatMap(start, step, columns, axis.rows(), cells, axis.spread());
  }

  /** Returns a width that no slice exceeds. */
  private static long step(Request request, long coarsest) {
    long wanted = Math.max(coarsest, (request.to() - request.from()) / request.columns());
    for (long step : STEPS) {
      if (step >= wanted) {
        return step;
      }
    }
    long day = STEPS[STEPS.length - 1];
    return Math.ceilDiv(wanted, day) * day;
  }

  /** Returns the load of a row in all columns. */
  public Load total(int row) {
    return cells.get(row).stream().reduce(Load.NONE, Load::plus);
  }
}
