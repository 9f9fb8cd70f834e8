package dev.varve.layout.plan;

import dev.varve.layout.Binding;
import dev.varve.layout.ReadScope;
import dev.varve.store.Capabilities.RowOrder;
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
 * @param order how far the store keeps rows in order: in that of the table, a slice may run from
 *     one partition into the next
 * @param apart whether each series has to be in a group of its own, so that one can be read behind
 *     the other
 */
public record PlanRequest(
    List<? extends Binding> bindings,
    ReadScope scope,
    Census census,
    int newestFirst,
    boolean wholeTable,
    RowOrder order,
    boolean apart) {
  public PlanRequest {
    bindings = List.copyOf(bindings);
    if (newestFirst < 0) {
      throw new IllegalArgumentException(
          "newest first asks for " + newestFirst + " samples, at least 0 is needed");
    }
  }

  /** A request for all samples in scope of a store that spreads partitions by hash. */
  public static PlanRequest of(List<? extends Binding> bindings, ReadScope scope) {
    return new PlanRequest(bindings, scope, Census.UNKNOWN, 0, false, RowOrder.PARTITION, false);
  }

  public PlanRequest with(Census other) {
    return new PlanRequest(bindings, scope, other, newestFirst, wholeTable, order, apart);
  }

  public PlanRequest with(RowOrder other) {
    return new PlanRequest(bindings, scope, census, newestFirst, wholeTable, other, apart);
  }

  public PlanRequest withNewestFirst(int samples) {
    return new PlanRequest(bindings, scope, census, samples, wholeTable, order, apart);
  }
}
