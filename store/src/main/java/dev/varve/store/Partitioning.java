package dev.varve.store;

/**
 * Determines which prefix of a row key names its partition. Stores that distribute rows by hash
 * distribute whole partitions, and a slice must stay within one. Implementations are pure: the same
 * key always yields the same answer.
 */
@FunctionalInterface
public interface Partitioning {
  /** The whole table is one partition; for small tables only. */
  Partitioning NONE = (bytes, offset, length) -> 0;

  /** Every row is its own partition. */
  Partitioning ROW = (bytes, offset, length) -> length;

  /**
   * Returns how many of the {@code length} bytes of the row key at {@code offset} name the
   * partition, from 0 to {@code length}.
   */
  int prefixLength(byte[] bytes, int offset, int length);
}
