package dev.varve.store.cassandra;

import dev.varve.model.Bytes;

/**
 * A position within a partition: before the first cell of a row at or after the qualifier; with an
 * empty qualifier, before the row.
 *
 * @param key the row key without its partition
 */
record Position(Bytes key, Bytes qualifier) implements Comparable<Position> {
  static Position startOf(Bytes key) {
    return new Position(key, Bytes.EMPTY);
  }

  static Position after(Bytes key) {
    return new Position(key.successor(), Bytes.EMPTY);
  }

  @Override
  public int compareTo(Position other) {
    int order = key.compareTo(other.key);
    return order == 0 ? qualifier.compareTo(other.qualifier) : order;
  }
}
