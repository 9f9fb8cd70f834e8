package dev.varve.store.cassandra;

import dev.varve.model.Bytes;

/**
 * A position within a partition: before the first cell of the qualifier or, if there is none, after
 * all cells before it.
 *
 * @param key the row key without its partition
 */
record Position(Bytes key, Bytes qualifier) implements Comparable<Position> {
  static Position startOf(Bytes key) {
    return new Position(key, Bytes.EMPTY);
  }

  static Position behind(Bytes key) {
    return new Position(key.successor(), Bytes.EMPTY);
  }

  @Override
  public int compareTo(Position other) {
    int order = key.compareTo(other.key);
    return order == 0 ? qualifier.compareTo(other.qualifier) : order;
  }
}
