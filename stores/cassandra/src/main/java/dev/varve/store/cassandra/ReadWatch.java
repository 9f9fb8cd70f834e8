package dev.varve.store.cassandra;

/** Watches whether a read is still wanted, and counts its cost. */
interface ReadWatch {
  /** Throws if the read was cancelled or its cursor closed. */
  void ensureWanted();

  default void countRequest() {}

  /** Counts a cell that was read although it lies outside the requested stretch. */
  default void countBeside(int bytes) {}
}
