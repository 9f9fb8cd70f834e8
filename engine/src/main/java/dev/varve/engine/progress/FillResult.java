package dev.varve.engine.progress;

import dev.varve.engine.request.WriteResult;
import dev.varve.model.Series;
import java.util.List;

/**
 * The result of filling a dataset.
 *
 * @param written the outcome of the samples at whose instants the dataset had no sample
 * @param days a comparison for each series and day of the batch, in the order of the batch's
 *     groups, then of days
 */
public record FillResult(WriteResult written, List<Day> days) {
  public FillResult {
    days = List.copyOf(days);
  }

  /**
   * The samples of one series on one UTC day, compared with those that the dataset has at the same
   * instants.
   *
   * @param day days since 1970
   * @param samples number of instants of the batch
   * @param missing number of these at which the dataset has no sample
   * @param other number of these at which the dataset has another value or kind
   * @param given 128-bit digest, in 32 hexadecimal digits, of the samples of the batch, without
   *     those that are missing
   * @param held the same digest of the samples of the dataset at these instants; equal to {@code
   *     given} if {@code other} is 0
   */
  public record Day(
      Series series, long day, int samples, int missing, int other, String given, String held) {}
}
