package dev.varve.store;

/**
 * Which leading part of a row key names the partition: the stretch of the table within which a
 * slice must stay, and which a store that spreads rows by hash takes as the unit of spreading.
 * Pure: the same key, the same answer.
 */
@FunctionalInterface
public interface Partitioning {
  /** The whole table is one partition; for small tables only. */
  Partitioning NONE = (bytes, offset, length) -> 0;

  /** Every row is a partition of its own. */
  Partitioning ROW = (bytes, offset, length) -> length;

  /**
   * How many of the {@code length} bytes of the row key at {@code offset} are the partition, 0 to
   * {@code length}.
   */
  int prefixLength(byte[] bytes, int offset, int length);
}
