package dev.varve.layout.plan;

import dev.varve.model.TimeRange;
import dev.varve.store.ReadPlan;
import java.util.List;
import java.util.OptionalLong;

/**
 * How a layout is read.
 *
 * @param groups in the order of the request's bindings, as far as they are read apart; where the
 *     row keys have {@link dev.varve.layout.KeyPart.Time#eras()}, all of one era behind all of the
 *     era before
 * @param estimate what the plan is expected to touch
 * @param alternatives every way that was weighed, the chosen one first
 * @param notes what a reader of the plan should know, such as {@code this query scans 31 rows to
 *     return 1}
 */
public record Plan(
    List<StrandGroup> groups,
    Estimate estimate,
    List<Alternative> alternatives,
    List<String> notes) {
  public Plan {
    groups = List.copyOf(groups);
    alternatives = List.copyOf(alternatives);
    notes = List.copyOf(notes);
  }

  /**
   * Reads that together hold every cell of some bindings in one stretch of time, and of no binding
   * outside the group. All strands are trimmed alike.
   *
   * @param bindings places in the request
   * @param strands at least one
   */
  public record StrandGroup(List<Integer> bindings, List<Strand> strands) {
    public StrandGroup {
      bindings = List.copyOf(bindings);
      strands = List.copyOf(strands);
    }
  }

  /**
   * One read, whose rows give the samples of each series, trimmed, in the order of time: rising, or
   * falling where the plan reads backwards.
   *
   * @param table place in the layout's tables
   * @param filtered whether rows of other keys come too and are to be dropped by their signature
   * @param trimmed the sample times wanted; what the rows hold outside is to be dropped
   */
  public record Strand(int table, ReadPlan read, boolean filtered, TimeRange trimmed) {}

  /**
   * What a plan touches.
   *
   * @param partitions distinct partitions
   * @param slices contiguous stretches
   * @param rows looked at; empty where unknown
   * @param rowsWanted of them those of matching series; empty where unknown
   * @param cells looked at; empty where unknown
   * @param cellsWanted of them those of matching series; empty where unknown
   */
  public record Estimate(
      long partitions,
      long slices,
      OptionalLong rows,
      OptionalLong rowsWanted,
      OptionalLong cells,
      OptionalLong cellsWanted) {}

  /**
   * A way to read.
   *
   * @param name such as {@code one range a series}
   * @param cost in rows and seeks weighed together; infinite where the way is closed
   * @param reason why it won, lost or is closed
   */
  public record Alternative(String name, double cost, String reason) {}
}
