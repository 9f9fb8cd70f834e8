package dev.varve.engine.read;

import dev.varve.layout.RowShape;
import dev.varve.layout.plan.Plan;
import dev.varve.model.Bytes;
import dev.varve.store.Direction;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import java.util.Comparator;
import java.util.List;

/**
 * Reads of rows that a plan names, in the order of time and then of the table instead of series by
 * series. Rows of one time are often near each other, and a store may read rows that ascend with
 * fewer requests.
 */
final class TimeSweep {
  private record Timed(Slice slice, long time) {}

  /** Minimum mean number of rows of a series for which it pays to hold the series. */
  private static final int ROWS_OF_SERIES = 4;

  private TimeSweep() {}

  /** Returns whether several series are much cheaper to read by time than one after the other. */
  static boolean pays(PlannedRead planned) {
    List<Plan.StrandGroup> groups = planned.plan().groups();
    return groups.size() > 1
        && GatheredRuns.mayPay(planned.layout().layout())
        && planned.plan().estimate().slices() >= (long) ROWS_OF_SERIES * groups.size();
  }

  /** Returns whether a plan names each row that it reads. */
  static boolean namesRows(PlannedRead planned) {
    return planned.plan().groups().stream()
        .flatMap(group -> group.strands().stream())
        .allMatch(strand -> strand.read().slices().stream().allMatch(Slice::isOneRow));
  }

  /** Returns the same read, which still has the samples of each series in the order of time. */
  static PlannedRead of(PlannedRead planned) {
    RowShape shape = planned.layout().layout().rows();
    return shape.timePart() < 0
        ? planned
        : planned.with(planned.plan().groups().stream().map(group -> swept(group, shape)).toList());
  }

  private static Plan.StrandGroup swept(Plan.StrandGroup group, RowShape shape) {
    Plan.Strand strand = group.strands().getFirst();
    ReadPlan read = strand.read();
    boolean named =
        group.bindings().size() > 1
            && group.strands().size() == 1
            && read.direction() == Direction.FORWARD
            && read.slices().stream().allMatch(Slice::isOneRow)
            && !RowKeys.scattersUnits(shape);
    return named
        ? new Plan.StrandGroup(
            group.bindings(),
            List.of(
                new Plan.Strand(
                    strand.table(),
                    read.with(ordered(read.slices(), shape)),
                    strand.filtered(),
                    strand.trimmed())))
        : group;
  }

  private static List<Slice> ordered(List<Slice> slices, RowShape shape) {
    return slices.stream()
        .map(slice -> {
          Bytes row = slice.fromRow();
          return new Timed(slice, shape.time(row.toArray(), 0, row.length()));
        })
        .sorted(
            Comparator.comparingLong(Timed::time).thenComparing(timed -> timed.slice().fromRow()))
        .map(Timed::slice)
        .toList();
  }
}
