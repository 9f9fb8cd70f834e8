package dev.varve.store.cassandra;

/** Whether a read is still wanted, and what it costs. */
interface ReadWatch {
  /** Fails where the read was cancelled or its cursor closed. */
  void ensureWanted();

  default void countRequest() {}

  /** Counts a cell that was read beside what was asked for. */
  default void countBeside(int bytes) {}
}
