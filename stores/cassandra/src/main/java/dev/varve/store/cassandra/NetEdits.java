package dev.varve.store.cassandra;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import dev.varve.store.MutationBatch.Edit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * The net effect of a mutation's edits: deletes of earlier cells, and puts that no later edit
 * undoes. The order of the result does not matter.
 */
final class NetEdits {
  private final MutationBatch batch;
  private final CellBatch cells;
  private final IntPredicate timed;
  private final Map<Place, Integer> puts = new LinkedHashMap<>();
  private final List<Delete> deletes = new ArrayList<>(0);

  /** Columns that were deleted completely, and ranges, by their edits. */
  private final Set<Place> deletedColumns = new HashSet<>(0);

  private final List<Integer> deletedRanges = new ArrayList<>(0);

  /**
   * A cell.
   *
   * @param time 0 if a column holds only one cell
   */
  private record Place(int family, Bytes qualifier, long time) {}

  /**
   * A delete of earlier cells.
   *
   * @param whole whether it deletes a column regardless of the times of its cells
   */
  record Delete(int edit, boolean whole) {}

  private NetEdits(MutationBatch batch, IntPredicate timed) {
    this.batch = batch;
    this.cells = batch.cells();
    this.timed = timed;
  }

  /**
   * Computes the net effect of the edits from {@code first} (inclusive) to {@code end} (exclusive).
   *
   * @param timed whether columns of a family hold many cells
   */
  static NetEdits of(MutationBatch batch, int first, int end, IntPredicate timed) {
    NetEdits net = new NetEdits(batch, timed);
    for (int edit = first; edit < end; edit++) {
      net.add(edit);
    }
    return net;
  }

  Collection<Integer> puts() {
    return puts.values();
  }

  List<Delete> deletes() {
    return deletes;
  }

  /** Returns whether a column is put, in a family whose columns hold one cell. */
  boolean puts(int family, Bytes qualifier) {
    return puts.containsKey(new Place(family, qualifier, 0));
  }

  /**
   * Returns the least cell time that is put in a family; {@link Long#MAX_VALUE} if there is no put.
   */
  long firstPut(int family) {
    long least = Long.MAX_VALUE;
    for (int edit : puts.values()) {
      if (cells.family(edit) == family) {
        least = Math.min(least, cells.time(edit));
      }
    }
    return least;
  }

  private void add(int edit) {
    switch (batch.edit(edit)) {
      case PUT -> puts.put(place(edit), edit);
      case DELETE_COLUMN -> deleteColumn(edit);
      case DELETE_QUALIFIERS, DELETE_FAMILY, DELETE_ROW -> {
        if (!puts.isEmpty()) {
          puts.values().removeIf(put -> covers(edit, cells.family(put), cells.qualifier(put)));
        }
        deletedRanges.add(edit);
        deletes.add(new Delete(edit, true));
      }
    }
  }

  private Place place(int edit) {
    int family = cells.family(edit);
    return new Place(family, cells.qualifier(edit), timed.test(family) ? cells.time(edit) : 0);
  }

  private boolean covers(int range, int family, Bytes qualifier) {
    if (batch.edit(range) == Edit.DELETE_ROW) {
      return true;
    }
    return cells.family(range) == family
        && (batch.edit(range) == Edit.DELETE_FAMILY
            || (qualifier.compareTo(cells.qualifier(range)) >= 0
                && qualifier.compareTo(cells.value(range)) < 0));
  }

  private void deleteColumn(int edit) {
    TimeRange times = batch.deletedTimes(edit);
    boolean whole = times.equals(TimeRange.ALL);
    int family = cells.family(edit);
    Bytes qualifier = cells.qualifier(edit);
    if (timed.test(family)) {
      Iterator<Place> places = puts.keySet().iterator();
      while (places.hasNext()) {
        Place put = places.next();
        if (put.family == family && put.qualifier.equals(qualifier) && times.contains(put.time)) {
          places.remove();
        }
      }
      deletes.add(new Delete(edit, whole));
      return;
    }
    Place column = new Place(family, qualifier, 0);
    Integer put = puts.get(column);
    if (put != null) {
      if (!whole && !times.contains(cells.time(put))) {
        return;
      }
      // The put that is removed here had replaced the earlier cell.
      puts.remove(column);
      whole = true;
    } else if (!whole && isDeleted(column)) {
      return;
    }
    if (whole) {
      deletedColumns.add(column);
    }
    deletes.add(new Delete(edit, whole));
  }

  private boolean isDeleted(Place column) {
    return deletedColumns.contains(column)
        || deletedRanges.stream().anyMatch(edit -> covers(edit, column.family, column.qualifier));
  }
}
