package dev.varve.engine;

import dev.varve.layout.plan.Plan;
import dev.varve.model.TimeRange;
import dev.varve.store.ReadCost;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a query is answered.
 *
 * @param seriesMatched how many series the catalog found
 * @param reads one for each period, and in it the layout that was chosen
 * @param actual what was really read and returned; null where the query was not run
 */
public record QueryExplanation(int seriesMatched, List<PeriodRead> reads, @Nullable Actual actual) {
  public QueryExplanation {
    reads = List.copyOf(reads);
  }

  /**
   * The read of one period.
   *
   * @param times the part of the query's range that falls into the period
   * @param layout the one that is read
   * @param slices shown part by part, at most the first thousand
   * @param filters what is dropped after reading, in words
   * @param lost companions that were not read, with their reasons
   */
  public record PeriodRead(
      TimeRange times,
      String layout,
      Plan plan,
      List<ShownSlice> slices,
      List<String> filters,
      List<String> lost) {}

  /**
   * A slice for people.
   *
   * @param from and {@code to}: row key and qualifier of the bounds, part by part as far as they go
   */
  public record ShownSlice(
      String table, String partition, String from, String to, String fromHex, String toHex) {}

  /**
   * What a read really did.
   *
   * @param samples returned
   * @param nanos from the start of the read to its end
   */
  public record Actual(ReadCost cost, long series, long samples, long nanos) {}
}
