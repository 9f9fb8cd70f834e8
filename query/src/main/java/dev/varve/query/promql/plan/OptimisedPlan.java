package dev.varve.query.promql.plan;

import dev.varve.query.promql.SourceRange;
import java.util.List;
import java.util.Map;

/**
 * A plan that reads no more than it has to.
 *
 * @param root what gives the result
 * @param shared the scans that feed several operators
 * @param uses in how many places each {@link StepPlan.Kept} is used, by its number
 * @param alsoAt for places that notes may be about: where else in the query the same stands
 * @param notes what was decided, for people
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
   * A scan that feeds several operators, of which all work as it reads.
   *
   * @param users what is worked out along with it, each over one leaf that reads this scan
   */
  public record SharedScan(Scan scan, List<StepPlan.Kept> users) {
    public SharedScan {
      users = List.copyOf(users);
    }
  }
}
