package dev.varve.query;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A human-readable plan: operators and their inputs.
 *
 * @param operator name of the operator, in a word or two
 * @param detail its parameters; empty if there are none
 * @param scan the number of the scan that it reads; null if it reads none
 * @param actual measured figures; null if the query was not run
 */
public record PlanTree(
    String operator,
    String detail,
    @Nullable Integer scan,
    @Nullable Figures actual,
    List<PlanTree> inputs) {
  public PlanTree {
    inputs = List.copyOf(inputs);
  }

  /**
   * Measured figures of an operator.
   *
   * @param rows number of series returned
   * @param values number of samples returned
   * @param nanos time that the query's own thread spent in this operator, excluding its inputs
   */
  public record Figures(long rows, long values, long nanos) {}
}
