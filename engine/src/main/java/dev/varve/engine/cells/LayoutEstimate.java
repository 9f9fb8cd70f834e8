package dev.varve.engine.cells;

import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An estimate for a layout: the rows, cells and bytes of a day of samples of a few series, the rows
 * that a write touches, and the cost of typical queries. The numbers are counted: the samples are
 * written into tables in memory, and the planner's reads run over them.
 *
 * @param layout its name
 * @param series number of series
 * @param samples number of samples of all series
 * @param data the cells of samples
 * @param index the cells of index tables
 * @param rowsOfWrite rows that one sample of each series touches, written together, once the series
 *     are known
 * @param reads the costs of the queries
 * @param refused why samples were refused, at most 10 reasons; if not empty, nothing was counted
 */
public record LayoutEstimate(
    String layout,
    int series,
    int samples,
    Amount data,
    Amount index,
    long rowsOfWrite,
    List<Read> reads,
    List<String> refused) {
  static final int REASONS_MAX = 10;

  /**
   * An amount in a store.
   *
   * @param bytes of row keys, families, qualifiers, cell times and values, before the store
   *     compresses them
   */
  public record Amount(long rows, long cells, long bytes) {
    static final Amount NOTHING = new Amount(0, 0, 0);
  }

  /**
   * The cost of a query.
   *
   * @param what the query, such as {@code 1 series, 1 hour}
   * @param wanted number of samples in its result
   * @param ranges number of ranges of rows: the number of requests, if the store takes one range
   *     per request
   * @param partitions number of partitions with these ranges
   * @param read the amount that the store reads
   * @param refused why the planner refuses it; null if it does not
   */
  public record Read(
      String what,
      long wanted,
      long ranges,
      long partitions,
      Amount read,
      @Nullable String refused) {}

  public LayoutEstimate {
    reads = List.copyOf(reads);
    refused = List.copyOf(refused);
  }

  /**
   * Estimates each layout of a name or declaration.
   *
   * @param nameOrYaml a name of {@link CellPreview#layouts()}, or the text of a declaration
   * @param parameters values by name; missing ones take their defaults
   * @param point has one sample, whose metric, tags, field and kind of value the estimate is for,
   *     and in whose day it lies
   * @param interval between two samples of a series, 1 second to 1 hour
   * @throws IllegalArgumentException if there is no such layout, the declaration or a parameter is
   *     invalid, the batch has no sample, or the interval is out of range
   */
  public static List<LayoutEstimate> of(
      String nameOrYaml, Map<String, String> parameters, Batch point, Duration interval) {
    EstimateWorkload work = EstimateWorkload.of(point, interval);
    try {
      return Layouts.stored(nameOrYaml, parameters).stream()
          .map(layout ->
              layout instanceof BlockLayout blocks
                  ? EstimateOfBlocks.of(blocks, work.in(blocks.resolution()))
                  : EstimateOfCells.of((Layout) layout, work))
          .toList();
    } catch (RefusedException e) {
      throw new IllegalArgumentException(e.refusal().message(), e);
    }
  }

  /** Returns an estimate of a layout that refuses the samples. */
  static LayoutEstimate refused(String layout, EstimateWorkload work, List<String> reasons) {
    return new LayoutEstimate(
        layout,
        work.keys().size(),
        0,
        Amount.NOTHING,
        Amount.NOTHING,
        0,
        List.of(),
        reasons.subList(0, Math.min(REASONS_MAX, reasons.size())));
  }
}
