package dev.varve.store;

/**
 * The cost of a read so far.
 *
 * @param rows distinct rows examined, summed over all slices
 * @param cellsRead cells examined, whether or not they were returned
 * @param cellsReturned cells delivered
 * @param bytesRead bytes of keys, qualifiers and values of {@code cellsRead}
 * @param bytesReturned the same for {@code cellsReturned}
 * @param requests calls with a fixed price in this store: seeks, pages, round trips
 */
public record ReadCost(
    long rows,
    long cellsRead,
    long cellsReturned,
    long bytesRead,
    long bytesReturned,
    long requests) {
  public static final ReadCost NOTHING = new ReadCost(0, 0, 0, 0, 0, 0);

  /** Returns the cost added since an earlier point of the same read. */
  public ReadCost minus(ReadCost earlier) {
    return new ReadCost(
        rows - earlier.rows,
        cellsRead - earlier.cellsRead,
        cellsReturned - earlier.cellsReturned,
        bytesRead - earlier.bytesRead,
        bytesReturned - earlier.bytesReturned,
        requests - earlier.requests);
  }

  public ReadCost plus(ReadCost other) {
    return new ReadCost(
        rows + other.rows,
        cellsRead + other.cellsRead,
        cellsReturned + other.cellsReturned,
        bytesRead + other.bytesRead,
        bytesReturned + other.bytesReturned,
        requests + other.requests);
  }
}
