package dev.varve.query;

import dev.varve.engine.request.QueryExplanation;
import dev.varve.model.Recurring;
import dev.varve.store.ReadCost;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Explains how a query is executed, in any query language.
 *
 * @param plan the operators, as executed
 * @param scans the reads, numbered from 1
 * @param notes decisions made while planning, in words
 * @param nanos duration of the whole query in nanoseconds; 0 if it was not run
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
   * @param selector the series
   * @param from the first time, in ms since 1970
   * @param to the last time, in ms since 1970; less than {@code from} if nothing is read
   * @param labels the labels needed of each series, in words
   * @param recurring the times that are needed, in ms; null for all
   * @param read how the layouts read it, with all series planned together; null if nothing is read
   * @param actual measured figures; null if the query was not run
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
   * Measured figures of a scan.
   *
   * @param series number of series with samples
   * @param samples number of samples that the stores returned
   * @param readNanos time spent reading, summed over all threads
   * @param workNanos time spent processing the samples of each series, summed over all threads
   */
  public record Actual(ReadCost cost, long series, long samples, long readNanos, long workNanos) {}
}
