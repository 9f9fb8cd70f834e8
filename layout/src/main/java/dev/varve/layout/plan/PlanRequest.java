package dev.varve.layout.plan;

import dev.varve.layout.Binding;
import dev.varve.layout.ReadScope;
import dev.varve.store.Capabilities.RowOrder;
import java.util.List;

/**
 * A request to read samples.
 *
 * @param bindings the matching series, each key once. The plan reads all of their samples in scope,
 *     and may read others that are then dropped
 * @param scope times, fields, versions and attributes to read
 * @param census known counts of series, rows and cells
 * @param newestFirst how many of the newest samples suffice, in which case the plan may read
 *     backwards; 0 for all samples in ascending time order
 * @param wholeTable whether the plan may scan a whole table
 * @param order the order in which the store keeps rows. If it orders the whole table, a slice may
 *     span partitions
 * @param apart whether each series must be in a group of its own, so that series can be read one
 *     after another
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

  /** Returns a request for all samples in scope from a store that spreads partitions by hash. */
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
