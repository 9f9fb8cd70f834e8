package dev.varve.store;

import dev.varve.model.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A contiguous range of cells, in staircase form: the first row from a qualifier on, whole rows in
 * between, and the last row up to a qualifier. Positions are ordered by row, then by qualifier. The
 * slice includes its first bound and excludes the second. Qualifier bounds apply to every family.
 *
 * @param partition common prefix of all rows in the slice: the partition, or a shorter prefix if
 *     the store orders rows across partitions
 * @param fromRow the first row
 * @param fromQualifier start within the first row; empty for the whole row
 * @param toRow the bounding row; null for the end of the partition
 * @param toQualifier end within the bounding row; empty excludes that row
 */
public record Slice(
    Bytes partition, Bytes fromRow, Bytes fromQualifier, @Nullable Bytes toRow, Bytes toQualifier) {
  public Slice {
    if (!fromRow.startsWith(partition)) {
      throw new IllegalArgumentException(
          "slice starts at row " + fromRow + ", outside its partition " + partition);
    }
  }

  /** Returns the slice of one whole row. */
  public static Slice row(Bytes partition, Bytes row) {
    return new Slice(partition, row, Bytes.EMPTY, row.successor(), Bytes.EMPTY);
  }

  /** Returns the slice of a part of one row. */
  public static Slice row(
      Bytes partition, Bytes row, Bytes fromQualifier, @Nullable Bytes toQualifier) {
    return toQualifier == null
        ? new Slice(partition, row, fromQualifier, row.successor(), Bytes.EMPTY)
        : new Slice(partition, row, fromQualifier, row, toQualifier);
  }

  /**
   * Returns the slice of whole rows, half-open. If {@code toRow} is null, it extends to the end of
   * the partition.
   */
  public static Slice rows(Bytes partition, Bytes fromRow, @Nullable Bytes toRow) {
    return new Slice(partition, fromRow, Bytes.EMPTY, toRow, Bytes.EMPTY);
  }

  /** Returns the slice of all rows of a partition. */
  public static Slice partition(Bytes partition) {
    return rows(partition, partition, null);
  }

  /**
   * Returns an exclusive upper bound of the rows that the slice touches, at most the end of its
   * partition; null for the end of the table.
   */
  public @Nullable Bytes endRow() {
    Bytes partitionEnd = partition.prefixEnd();
    if (toRow == null) {
      return partitionEnd;
    }
    Bytes end = toQualifier.isEmpty() ? toRow : toRow.successor();
    return partitionEnd == null || end.compareTo(partitionEnd) < 0 ? end : partitionEnd;
  }

  /** Returns whether the slice touches at most one row. */
  public boolean isOneRow() {
    return toRow != null
        && (toRow.equals(fromRow) || (toRow.equals(fromRow.successor()) && toQualifier.isEmpty()));
  }
}
