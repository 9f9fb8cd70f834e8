package dev.varve.query;

import dev.varve.engine.QueryExplanation;
import dev.varve.model.Recurring;
import dev.varve.store.ReadCost;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a query is answered, whatever language it is written in.
 *
 * @param plan its operators, as they are run
 * @param scans what they read, by number from 1 on
 * @param notes what was decided on the way, in words
 * @param nanos how long the whole query took; 0 where it was not run
 */
public record PlanExplanation(
    PlanTree plan, List<ScanExplanation> scans, List<String> notes, long nanos) {
  public PlanExplanation {
    scans = List.copyOf(scans);
    notes = List.copyOf(notes);
  }

  /**
   * One read.
   *
   * @param selector which series
   * @param from the first time, in ms since 1970
   * @param to the last; before {@code from} where nothing is read
   * @param labels those that are wanted of each series, in words
   * @param recurring of the times those that are looked at, in ms; null for all
   * @param read how the layouts read it, all series planned together; null where nothing is read
   * @param actual what was really read; null where the query was not run
   */
  public record ScanExplanation(
      int number,
      String selector,
      long from,
      long to,
      String labels,
      @Nullable Recurring recurring,
      @Nullable QueryExplanation read,
      @Nullable Actual actual) {}

  /**
   * What a scan really did.
   *
   * @param series with samples
   * @param samples that the stores gave
   * @param readNanos spent on reading, all threads together
   * @param workNanos spent on what becomes of the samples of each series, all threads together
   */
  public record Actual(ReadCost cost, long series, long samples, long readNanos, long workNanos) {}
}
