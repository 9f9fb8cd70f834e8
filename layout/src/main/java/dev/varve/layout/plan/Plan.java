package dev.varve.layout.plan;

import dev.varve.model.TimeRange;
import dev.varve.store.ReadPlan;
import java.util.List;
import java.util.OptionalLong;

/**
 * A plan of the reads for a request.
 *
 * @param groups the reads, in the order of the request's bindings as far as these are read
 *     separately. If the row keys have {@link dev.varve.layout.KeyPart.Time#eras()}, the groups of
 *     each era follow those of the era before
 * @param estimate the amounts that the plan is expected to read
 * @param alternatives all ways that were compared, the chosen one first
 * @param notes remarks for human readers, such as {@code this query scans 31 rows to return 1}
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
   * Reads that together return every cell of some bindings in one range of time, and of no other
   * binding of the request. All strands have the same trimmed range.
   *
   * @param bindings indexes into the bindings of the request
   * @param strands at least one
   */
  public record StrandGroup(List<Integer> bindings, List<Strand> strands) {
    public StrandGroup {
      bindings = List.copyOf(bindings);
      strands = List.copyOf(strands);
    }
  }

  /**
   * One read, whose rows return the samples of each series in time order: ascending, or descending
   * if the plan reads backwards.
   *
   * @param table index into the layout's tables
   * @param filtered whether the read also returns rows of other keys, to be dropped by their
   *     signature
   * @param trimmed the wanted sample times; samples outside are to be dropped
   */
  public record Strand(int table, ReadPlan read, boolean filtered, TimeRange trimmed) {}

  /**
   * The amounts that a plan reads.
   *
   * @param partitions number of distinct partitions
   * @param slices number of slices
   * @param rows number of rows read; empty if unknown
   * @param rowsWanted number of those rows that belong to matching series; empty if unknown
   * @param cells number of cells read; empty if unknown
   * @param cellsWanted number of those cells that belong to matching series; empty if unknown
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
   * @param cost estimated cost in units of rows; infinite if the way is closed
   * @param reason why the way was chosen, not chosen or closed
   * @param expected the amounts from which the cost is estimated
   */
  public record Alternative(String name, double cost, String reason, Expected expected) {}

  /**
   * Expected amounts, counted by the census or else guessed; 0 if a way is closed.
   *
   * @param slices maximum number of slices, before adjacent ones are joined
   */
  public record Expected(double slices, double rows, double cells) {
    Expected plus(Expected other) {
      return new Expected(slices + other.slices, rows + other.rows, cells + other.cells);
    }
  }
}
