package dev.varve.query.promql.eval;

import dev.varve.query.promql.plan.StepPlan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All operators right above one scan, worked out for one series after the other. */
final class LeafWork implements SampleSource.Work {
  private final Leaf[] leaves;

  /**
   * Prepares to work for one thread.
   *
   * @param parameters for each of the operators its number at every step
   * @param held asked now and then whether the query is wanted
   */
  LeafWork(List<StepPlan.Vector> plans, List<double[]> parameters, Held held) {
    leaves = new Leaf[plans.size()];
    for (int i = 0; i < leaves.length; i++) {
      leaves[i] = Leaf.of(plans.get(i), parameters.get(i), held);
    }
  }

  @Override
  public @Nullable Column[] columns(SampleVector samples) {
    @Nullable Column[] columns = new Column[leaves.length];
    // The newest sample first: markers of staleness are for it alone, and gone after a window.
    for (boolean windows : new boolean[] {false, true}) {
      for (int i = 0; i < leaves.length; i++) {
        if (leaves[i] instanceof Leaf.OfWindow == windows) {
          Column column = leaves[i].column(samples);
          columns[i] = column.isEmpty() ? null : column;
        }
      }
    }
    return columns;
  }
}
