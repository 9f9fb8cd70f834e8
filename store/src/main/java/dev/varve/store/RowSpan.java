package dev.varve.store;

import dev.varve.model.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Neighbouring rows of a table.
 *
 * @param table its name in the store
 * @param from no row of the span comes before this key, which need not be that of a row
 * @param to no row of the span comes after this key; null where the span ends with the table
 */
public record RowSpan(String table, Bytes from, @Nullable Bytes to) {
  /** Whether a row lies within the span. */
  public boolean contains(Bytes row) {
    return row.compareTo(from) >= 0 && (to == null || row.compareTo(to) <= 0);
  }

  @Override
  public String toString() {
    return "table '%s', rows %s to %s"
        .formatted(table, from.isEmpty() ? "(first)" : from, to == null ? "(last)" : to);
  }
}
