package dev.varve.store;

import dev.varve.model.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A contiguous range of rows of a table.
 *
 * @param table its name in the store
 * @param from lower bound, inclusive; not necessarily the key of an existing row
 * @param to upper bound, inclusive; null means the end of the table
 */
public record RowSpan(String table, Bytes from, @Nullable Bytes to) {
  /** Returns whether a row lies within the span. */
  public boolean contains(Bytes row) {
    return row.compareTo(from) >= 0 && (to == null || row.compareTo(to) <= 0);
  }

  @Override
  public String toString() {
    return "table '%s', rows %s to %s"
        .formatted(table, from.isEmpty() ? "(first)" : from, to == null ? "(last)" : to);
  }
}
