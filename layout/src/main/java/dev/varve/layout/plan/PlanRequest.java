package dev.varve.layout.plan;

import dev.varve.layout.Binding;
import dev.varve.layout.ReadScope;
import dev.varve.store.Direction;
import java.util.List;

/**
 * What is to be read.
 *
 * @param bindings the series that match, each key once; the plan reads every sample of theirs in
 *     scope, and may read others that are then dropped
 * @param scope times, fields, versions, attributes
 * @param census what is known of how much there is
 * @param newestFirst how many of the newest samples suffice, or 0 for all in rising order of time;
 *     a plan may then read backwards
 * @param wholeTable whether the plan may scan a whole table
 */
public record PlanRequest(
    List<? extends Binding> bindings,
    ReadScope scope,
    Census census,
    int newestFirst,
    boolean wholeTable) {
  public PlanRequest {
    bindings = List.copyOf(bindings);
  }

  public static PlanRequest of(List<? extends Binding> bindings, ReadScope scope) {
    return new PlanRequest(bindings, scope, Census.UNKNOWN, 0, false);
  }

  Direction direction() {
    return newestFirst > 0 ? Direction.REVERSE : Direction.FORWARD;
  }
}
