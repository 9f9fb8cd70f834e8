package dev.varve.engine.advice;

import dev.varve.engine.advice.Advice.ReadCosts;
import dev.varve.engine.advice.Advice.WriteCosts;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.block.BlockLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A layout with its expected costs.
 *
 * @param design its design, for comparison with others; null if it is unknown
 * @param reads costs of the queries of the workload, in their order
 * @param refused number of queries that it could not answer
 * @param faults the faults that rule it out whatever it costs: a row too large, writes in one place
 */
record Option(
    @Nullable Design design,
    StorageLayout layout,
    List<ReadCosts> reads,
    int refused,
    WriteCosts write,
    List<Fault> faults) {
  Option {
    reads = List.copyOf(reads);
    faults = List.copyOf(faults);
  }

  /** Something that rules a layout out unless all others have faults, too. */
  record Fault(Rule rule, String text) {}

  /** Returns whether this is layout {@code blocks}. */
  boolean isBlocks() {
    return layout instanceof BlockLayout;
  }

  /** Returns the mean cost of the queries, each read in the layout that is cheapest for it. */
  static ReadCosts mean(Workload workload, List<Option> stack) {
    ReadCosts sum = ReadCosts.NONE;
    for (int i = 0; i < workload.queries().size(); i++) {
      sum = sum.plus(cheapest(stack, i), workload.queries().get(i).share());
    }
    return sum;
  }

  /** Returns the cost of a query in the layout that is cheapest for it. */
  static ReadCosts cheapest(List<Option> stack, int query) {
    ReadCosts best = stack.getFirst().reads.get(query);
    for (Option option : stack) {
      ReadCosts here = option.reads.get(query);
      best = here.cost() < best.cost() ? here : best;
    }
    return best;
  }
}
