package dev.varve.store.cassandra;

/**
 * The write times, by which Cassandra decides between two writes of one cell, of what one mutation
 * does in one family; in the unit of its table.
 */
interface WriteTimes {
  /**
   * The write time of a put.
   *
   * @param cellTime the time of its cell
   * @throws IllegalArgumentException if the time of the cell is none that can be written
   */
  long ofPut(long cellTime);

  /**
   * The write time of a delete of what stood before the mutation, which hides none of its puts.
   *
   * @param firstPut the least cell time that the mutation puts in the family; {@link
   *     Long#MAX_VALUE} where it puts nothing
   */
  long ofDelete(long firstPut);
}
