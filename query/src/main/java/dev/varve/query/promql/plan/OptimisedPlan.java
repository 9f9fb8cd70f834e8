package dev.varve.query.promql.plan;

import dev.varve.query.promql.SourceRange;
import java.util.List;
import java.util.Map;

/**
 * A plan that avoids redundant reads.
 *
 * @param root the operator that returns the result
 * @param shared scans that feed several operators
 * @param uses the number of uses of each {@link StepPlan.Kept}, by its number
 * @param alsoAt for positions that notes may refer to: other positions of the same subexpression
 * @param notes decisions, in words
 */
public record OptimisedPlan(
    StepPlan root,
    List<SharedScan> shared,
    Map<Integer, Integer> uses,
    Map<SourceRange, List<SourceRange>> alsoAt,
    List<String> notes) {
  public OptimisedPlan {
    shared = List.copyOf(shared);
    uses = Map.copyOf(uses);
    alsoAt = Map.copyOf(alsoAt);
    notes = List.copyOf(notes);
  }

  /**
   * A scan that feeds several operators, all of which process its samples as it reads.
   *
   * @param users the plans that are evaluated with it, each over one leaf that reads this scan
   */
  public record SharedScan(Scan scan, List<StepPlan.Kept> users) {
    public SharedScan {
      users = List.copyOf(users);
    }
  }
}
