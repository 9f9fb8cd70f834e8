package dev.varve.store.cassandra;

import dev.varve.model.Bytes;
import dev.varve.store.Partitioning;
import dev.varve.store.Slice;
import dev.varve.store.StoreException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A contiguous, half-open part of one partition.
 *
 * @param partition the prefix of all row keys of the partition
 * @param to null for the end of the partition
 */
record PartitionRange(Bytes partition, Position from, @Nullable Position to) {
  /**
   * Returns the stretch of a slice.
   *
   * @throws StoreException if it does not lie within one partition
   */
  static PartitionRange of(Slice slice, Partitioning partitioning, String table) {
    Bytes partition = partition(slice, partitioning, table);
    int length = partition.length();
    Position from = new Position(after(slice.fromRow(), length), slice.fromQualifier());
    Bytes prefixEnd = slice.partition().prefixEnd();
    Bytes toRow = slice.toRow();
    boolean bounded = toRow != null && (prefixEnd == null || toRow.compareTo(prefixEnd) < 0);
    Bytes endRow = bounded ? toRow : prefixEnd;
    if (endRow == null) {
      return new PartitionRange(partition, from, null);
    }
    if (!endRow.startsWith(partition)) {
      // The end lies before the partition, so that nothing is read, or after it.
      return new PartitionRange(partition, from, endRow.compareTo(partition) < 0 ? from : null);
    }
    return new PartitionRange(
        partition,
        from,
        new Position(after(endRow, length), bounded ? slice.toQualifier() : Bytes.EMPTY));
  }

  private static Bytes partition(Slice slice, Partitioning partitioning, String table) {
    Bytes named = slice.isOneRow() ? slice.fromRow() : slice.partition();
    try {
      int length = partitioning.prefixLength(named.toArray(), 0, named.length());
      if (length <= named.length() && (slice.isOneRow() || holdsMore(named, partitioning))) {
        return named.slice(0, length);
      }
    } catch (RuntimeException e) {
      throw spans(slice, table, e);
    }
    throw spans(slice, table, null);
  }

  /** Returns whether all rows with a given prefix lie in one partition, whatever follows it. */
  private static boolean holdsMore(Bytes named, Partitioning partitioning) {
    byte[] longer = named.concat(Bytes.of((byte) 0)).toArray();
    return partitioning.prefixLength(longer, 0, longer.length) < longer.length;
  }

  private static StoreException spans(Slice slice, String table, @Nullable Throwable cause) {
    return new StoreException(
        "table '%s': a slice must lie within one partition, this one does not: %s"
            .formatted(table, slice),
        cause);
  }

  private static Bytes after(Bytes row, int length) {
    return row.slice(length, row.length());
  }

  boolean isEmpty() {
    return to != null && from.compareTo(to) >= 0;
  }

  /** Returns the part at and after a position. */
  PartitionRange since(Position position) {
    return position.compareTo(from) <= 0 ? this : new PartitionRange(partition, position, to);
  }

  /** Returns the part before a position. */
  PartitionRange before(Position position) {
    return to != null && to.compareTo(position) <= 0
        ? this
        : new PartitionRange(partition, from, position);
  }

  /** Returns the part within one row. */
  PartitionRange ofRow(Bytes key) {
    return since(Position.startOf(key)).before(Position.after(key));
  }

  static List<PartitionRange> withoutEmpty(List<PartitionRange> stretches) {
    return stretches.stream().filter(stretch -> !stretch.isEmpty()).toList();
  }
}
