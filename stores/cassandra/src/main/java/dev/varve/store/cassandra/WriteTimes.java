package dev.varve.store.cassandra;

/**
 * The write times of the edits of a mutation, in the unit of a table. Edits stand in steps: within
 * one, deletes come before puts.
 */
interface WriteTimes {
  /** The write times of one mutation. */
  interface Stamps {
    long ofPut(int step);

    long ofDelete(int step);
  }

  /**
   * Gives the times of a mutation.
   *
   * @param steps how many it has, at least 1
   * @param deletes whether it deletes anything
   * @param columns what its puts are about, as hashes
   */
  Stamps next(int steps, boolean deletes, long[] columns);
}
