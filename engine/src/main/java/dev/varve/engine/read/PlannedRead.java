package dev.varve.engine.read;

import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.layout.Binding;
import dev.varve.layout.plan.Plan;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How one period is read.
 *
 * @param times the part of the request's range that falls into the period
 * @param layout the one that is read
 * @param bindings the series, as the plan knows them
 * @param matches for each binding the place of its series among those that match
 * @param lost layouts that are not read, each with the reason
 */
record PlannedRead(
    Period period,
    TimeRange times,
    PlacedLayout layout,
    List<Binding> bindings,
    List<Integer> matches,
    Plan plan,
    List<String> lost) {
  /** The same read, put together otherwise. */
  PlannedRead with(List<Plan.StrandGroup> groups) {
    Plan other = new Plan(groups, plan.estimate(), plan.alternatives(), plan.notes());
    return new PlannedRead(period, times, layout, bindings, matches, other, lost);
  }

  /**
   * Which rows of a strand are wanted, by the signatures of their series in the order of the group;
   * null where every row is of the first.
   */
  @Nullable SignatureIndex wanted(Plan.StrandGroup group, Plan.Strand strand) {
    if (group.bindings().size() == 1 && !strand.filtered()) {
      return null;
    }
    List<Bytes> signatures = new ArrayList<>(group.bindings().size());
    for (int binding : group.bindings()) {
      signatures.add(layout.layout().rows().signature(bindings.get(binding)));
    }
    return new SignatureIndex(signatures);
  }
}
