package dev.varve.engine.request;

import dev.varve.layout.plan.Plan;
import dev.varve.model.TimeRange;
import dev.varve.store.ReadCost;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a query.
 *
 * @param seriesMatched number of series found in the catalog
 * @param reads one per period, with the chosen layout
 * @param actual the actual cost and result size; null if the query was not run
 */
public record QueryExplanation(int seriesMatched, List<PeriodRead> reads, @Nullable Actual actual) {
  public QueryExplanation {
    reads = List.copyOf(reads);
  }

  /**
   * The read of one period.
   *
   * @param times the part of the query's range within the period
   * @param layout the layout that is read
   * @param slices the slices in readable form, at most 1,000
   * @param filters human-readable descriptions of data that is dropped after reading
   * @param lost companions that were not chosen, with the reasons
   */
  public record PeriodRead(
      TimeRange times,
      String layout,
      Plan plan,
      List<ShownSlice> slices,
      List<String> filters,
      List<String> lost) {}

  /**
   * A slice in readable form.
   *
   * @param from row key and qualifier of the lower bound, part by part as far as they can be
   *     decoded
   * @param to the upper bound in the same form
   */
  public record ShownSlice(
      String table, String partition, String from, String to, String fromHex, String toHex) {}

  /**
   * The actual cost and result size of a read.
   *
   * @param series number of series returned
   * @param samples number of samples returned
   * @param nanos duration of the read in nanoseconds
   */
  public record Actual(ReadCost cost, long series, long samples, long nanos) {}
}
