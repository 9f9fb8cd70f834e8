package dev.varve.store;

import dev.varve.model.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A contiguous stretch of a table, like a flight of stairs: the first row from a qualifier on,
 * whole rows between, the last row up to a qualifier. Positions are ordered by row, then by
 * qualifier; the stretch holds every position from the first bound on and before the second. The
 * qualifier bounds hold in every family.
 *
 * @param partition what every row of the stretch begins with: the partition, or less of a key where
 *     the store keeps the rows of all partitions in order
 * @param fromRow the first row
 * @param fromQualifier where the first row starts; empty for the whole row
 * @param toRow the bounding row; null for the end of the partition
 * @param toQualifier where the bounding row stops; empty so that nothing of that row is read
 */
public record Slice(
    Bytes partition, Bytes fromRow, Bytes fromQualifier, @Nullable Bytes toRow, Bytes toQualifier) {
  public Slice {
    if (!fromRow.startsWith(partition)) {
      throw new IllegalArgumentException(
          "slice starts at row " + fromRow + ", outside its partition " + partition);
    }
  }

  /** One whole row. */
  public static Slice row(Bytes partition, Bytes row) {
    return new Slice(partition, row, Bytes.EMPTY, row.successor(), Bytes.EMPTY);
  }

  /** A part of one row. */
  public static Slice row(
      Bytes partition, Bytes row, Bytes fromQualifier, @Nullable Bytes toQualifier) {
    return toQualifier == null
        ? new Slice(partition, row, fromQualifier, row.successor(), Bytes.EMPTY)
        : new Slice(partition, row, fromQualifier, row, toQualifier);
  }

  /** Whole rows, half-open; {@code toRow} null for the end of the partition. */
  public static Slice rows(Bytes partition, Bytes fromRow, @Nullable Bytes toRow) {
    return new Slice(partition, fromRow, Bytes.EMPTY, toRow, Bytes.EMPTY);
  }

  /** Every row of a partition. */
  public static Slice partition(Bytes partition) {
    return rows(partition, partition, null);
  }

  /**
   * The first row behind all rows that the slice touches, never behind its partition; null for the
   * end of the table.
   */
  public @Nullable Bytes endRow() {
    Bytes partitionEnd = partition.prefixEnd();
    if (toRow == null) {
      return partitionEnd;
    }
    Bytes end = toQualifier.isEmpty() ? toRow : toRow.successor();
    return partitionEnd == null || end.compareTo(partitionEnd) < 0 ? end : partitionEnd;
  }

  /** Whether the slice touches at most one row. */
  public boolean isOneRow() {
    return toRow != null
        && (toRow.equals(fromRow) || (toRow.equals(fromRow.successor()) && toQualifier.isEmpty()));
  }
}
