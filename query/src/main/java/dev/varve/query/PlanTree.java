package dev.varve.query;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A plan for people: operators and what they work on.
 *
 * @param operator what it does, in a word or two
 * @param detail how; empty where there is nothing more to say
 * @param scan the number of the scan that it reads; null where it reads none
 * @param actual what it really did; null where the query was not run
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
   * What an operator did.
   *
   * @param rows that it gave: series
   * @param values that it gave: samples
   * @param nanos that the query's own thread spent in it and not in another
   */
  public record Figures(long rows, long values, long nanos) {}
}
