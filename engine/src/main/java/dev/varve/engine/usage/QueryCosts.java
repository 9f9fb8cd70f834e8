package dev.varve.engine.usage;

import dev.varve.store.ReadCost;

/**
 * Summed costs of queries.
 *
 * @param count number of queries
 * @param series number of matching series
 * @param samples number of samples that were read
 * @param requests calls of the store with a fixed price: seeks, pages, round trips
 * @param rows rows examined
 * @param cells cells examined
 * @param bytes bytes of these cells
 * @param nanos time from the start of the read to its end
 */
public record QueryCosts(
    long count,
    long series,
    long samples,
    long requests,
    long rows,
    long cells,
    long bytes,
    long nanos) {
  public static final QueryCosts NONE = new QueryCosts(0, 0, 0, 0, 0, 0, 0, 0);

  /** Returns the costs of one query. */
  public static QueryCosts of(long series, long samples, ReadCost cost, long nanos) {
    return new QueryCosts(
        1,
        series,
        samples,
        cost.requests(),
        cost.rows(),
        cost.cellsRead(),
        cost.bytesRead(),
        nanos);
  }

  public QueryCosts plus(QueryCosts other) {
    return new QueryCosts(
        count + other.count,
        series + other.series,
        samples + other.samples,
        requests + other.requests,
        rows + other.rows,
        cells + other.cells,
        bytes + other.bytes,
        nanos + other.nanos);
  }
}
