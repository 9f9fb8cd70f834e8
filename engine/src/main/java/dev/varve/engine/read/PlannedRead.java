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
 * A planned read of one period.
 *
 * @param times the part of the request's range within the period
 * @param layout the layout to read
 * @param bindings the series of the plan
 * @param matches for each binding, the index of its series among the matching ones
 * @param lost layouts that are not read, each with the reason
 */
record PlannedRead(
    Period period,
    TimeRange times,
    PlacedLayout layout,
    List<Binding> bindings,
    List<Integer> matches,
    Plan plan,
    List<String> lost)
    implements PeriodPlan {
  /** Returns a copy with other groups. */
  PlannedRead with(List<Plan.StrandGroup> groups) {
    Plan other = new Plan(groups, plan.estimate(), plan.alternatives(), plan.notes());
    return new PlannedRead(period, times, layout, bindings, matches, other, lost);
  }

  /**
   * Returns the signatures of the wanted series of a strand, in the order of the group; null if
   * every row is of the first series.
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
