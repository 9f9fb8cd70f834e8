package dev.varve.store;

/**
 * Which leading part of a row key names the partition: the unit in which a store that spreads rows
 * by hash spreads them, and within which a slice of it must stay. Pure: the same key, the same
 * answer.
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
