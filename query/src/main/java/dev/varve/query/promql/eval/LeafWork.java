package dev.varve.query.promql.eval;

import dev.varve.query.promql.plan.StepPlan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Evaluates all operators directly above one scan, series by series. */
final class LeafWork implements SampleSource.Work {
  private final Leaf[] leaves;

  /**
   * Creates the evaluation for one thread.
   *
   * @param parameters the numeric parameter of each operator at every step
   * @param held checked for cancellation from time to time
   */
  LeafWork(List<StepPlan.SeriesOperator> plans, List<double[]> parameters, RowMemory held) {
    leaves = new Leaf[plans.size()];
    for (int i = 0; i < leaves.length; i++) {
      leaves[i] = Leaf.of(plans.get(i), parameters.get(i), held);
    }
  }

  @Override
  public @Nullable Column[] columns(SampleVector samples) {
    @Nullable Column[] columns = new Column[leaves.length];
    // Newest samples first: they need staleness markers, which windows remove.
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
