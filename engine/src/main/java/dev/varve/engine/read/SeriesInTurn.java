package dev.varve.engine.read;

import dev.varve.engine.catalog.Matches.Match;
import dev.varve.layout.RowShape;
import dev.varve.layout.plan.Plan;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Plans several series together and reads them one after the other. A plan or a cursor costs more
 * than the row that it finds, so an instant query over many series would spend its time on these.
 * Therefore the slices of adjacent groups in a plan become slices of one read, which answers them
 * in their order.
 */
final class SeriesInTurn {
  /** Maximum number of series planned at a time, which bounds the work for a truncated answer. */
  static final int MOST = 256;

  /** Number of series from which it pays to hold them, if more are too many. */
  static final int LEAST = 32;

  /** The maximum for layouts with an index of their own, which each plan reads for a metric. */
  static final int MOST_INDEXED = 1024;

  private SeriesInTurn() {}

  /**
   * Returns the end of the series that can be planned together, exclusive: those of which the same
   * fields are wanted. Two fields of one key share its rows and are never planned together.
   *
   * @param from index of the first series
   * @param most maximum number of series
   */
  static int end(List<Match> matches, int from, int most) {
    int limit = Math.min(matches.size(), from + most);
    int end = from + 1;
    while (end < limit
        && matches.get(end).fields().equals(matches.get(from).fields())
        && !matches.get(end).key().equals(matches.get(end - 1).key())) {
      end++;
    }
    return end;
  }

  /**
   * Returns the same read with as few cursors as possible; null if the plan does not deliver the
   * series one after the other.
   */
  static @Nullable PlannedRead joined(PlannedRead planned) {
    List<Plan.StrandGroup> groups = planned.plan().groups();
    int last = -1;
    for (Plan.StrandGroup group : groups) {
      if (group.bindings().size() != 1 || group.bindings().getFirst() <= last) {
        return null;
      }
      last = group.bindings().getFirst();
    }
    return withFewCursors(planned);
  }

  /** Returns the same read with one cursor for groups whose reads differ only in their slices. */
  static PlannedRead withFewCursors(PlannedRead planned) {
    return planned.with(joined(planned.plan().groups(), planned.layout().layout().rows()));
  }

  private static List<Plan.StrandGroup> joined(List<Plan.StrandGroup> groups, RowShape shape) {
    List<Plan.StrandGroup> joined = new ArrayList<>();
    int next = 0;
    while (next < groups.size()) {
      int end = next + 1;
      while (end < groups.size()
          && areAlike(groups.get(next), groups.get(end))
          && !RowKeys.scattersUnits(shape, groups.get(next))
          && !RowKeys.scattersUnits(shape, groups.get(end))) {
        end++;
      }
      joined.add(end == next + 1 ? groups.get(next) : one(groups.subList(next, end)));
      next = end;
    }
    return joined;
  }

  /** Returns whether the reads of two groups differ only in their slices, and in cell times. */
  private static boolean areAlike(Plan.StrandGroup one, Plan.StrandGroup other) {
    if (one.strands().size() != 1 || other.strands().size() != 1) {
      return false;
    }
    Plan.Strand a = one.strands().getFirst();
    Plan.Strand b = other.strands().getFirst();
    return a.table() == b.table()
        && a.filtered() == b.filtered()
        && a.trimmed().equals(b.trimmed())
        && a.read().families().equals(b.read().families())
        && a.read().direction() == b.read().direction()
        && a.read().limits().equals(b.read().limits());
  }

  private static Plan.StrandGroup one(List<Plan.StrandGroup> alike) {
    List<Integer> bindings = new ArrayList<>();
    List<Slice> slices = new ArrayList<>();
    for (Plan.StrandGroup group : alike) {
      bindings.addAll(group.bindings());
      slices.addAll(group.strands().getFirst().read().slices());
    }
    Plan.Strand first = alike.getFirst().strands().getFirst();
    boolean cellTimes =
        alike.stream().anyMatch(group -> group.strands().getFirst().read().cellTimes());
    ReadPlan read = first.read().with(slices).withCellTimes(cellTimes);
    return new Plan.StrandGroup(
        bindings, List.of(new Plan.Strand(first.table(), read, first.filtered(), first.trimmed())));
  }
}
