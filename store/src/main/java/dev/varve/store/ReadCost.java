package dev.varve.store;

/**
 * What a read has cost so far.
 *
 * @param rows distinct rows looked at, one slice after the other
 * @param cellsRead cells looked at, returned or not
 * @param cellsReturned cells delivered
 * @param bytesRead bytes of keys, qualifiers and values of {@code cellsRead}
 * @param bytesReturned the same of {@code cellsReturned}
 * @param requests calls to the store: seeks, pages, round trips, whatever costs a fixed price there
 */
public record ReadCost(
    long rows,
    long cellsRead,
    long cellsReturned,
    long bytesRead,
    long bytesReturned,
    long requests) {
  public static final ReadCost NOTHING = new ReadCost(0, 0, 0, 0, 0, 0);

  /** What was added since an earlier cost of the same read. */
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
