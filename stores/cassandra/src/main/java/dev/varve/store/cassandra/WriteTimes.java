package dev.varve.store.cassandra;

/**
 * The write times of the edits of a mutation, in the unit of a table. Edits stand in steps: within
 * one, deletes come before puts.
 */
interface WriteTimes {
  /** The write times of one mutation. */
  interface Stamps {
    /**
     * The write time of a put.
     *
     * @param cellTime the time of its cell
     */
    long ofPut(int step, long cellTime);

    long ofDelete(int step);
  }

  /**
   * Gives the times of a mutation.
   *
   * @param steps how many it has, at least 1
   * @param firstPut the least cell time that it puts; {@link Long#MAX_VALUE} where it only deletes
   */
  Stamps next(int steps, long firstPut);
}
