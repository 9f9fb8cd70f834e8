package dev.varve.store.cassandra;

/**
 * The write times of one mutation in one family, in the unit of its table. Cassandra uses them to
 * decide between two writes of one cell.
 */
interface WriteTimes {
  /**
   * Returns the write time of a put.
   *
   * @param cellTime the time of its cell
   * @throws IllegalArgumentException if the time of the cell cannot be written
   */
  long ofPut(long cellTime);

  /**
   * Returns the write time of a delete of cells from before the mutation. It hides none of the
   * mutation's puts.
   *
   * @param firstPut the least cell time that the mutation puts in the family; {@link
   *     Long#MAX_VALUE} if it puts nothing
   */
  long ofDelete(long firstPut);
}
