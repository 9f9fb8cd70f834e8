package dev.varve.model;

import java.util.List;

/**
 * Samples of one group key in columns: a list of times, and one column of values for each field.
 * Times may be unordered and may repeat; a sample in a later slot was accepted after one in an
 * earlier slot. A field may appear in several columns, each of a different kind.
 *
 * @param size the number of slots in use, in {@code times} and in every column
 */
public record SampleGroup(GroupKey key, int size, long[] times, List<Column> columns) {
  public SampleGroup {
    if (size < 0 || size > times.length) {
      throw new IllegalArgumentException(
          "group of " + size + " samples has " + times.length + " times");
    }
    columns = List.copyOf(columns);
  }

  /** Returns the number of values in all columns. */
  public int sampleCount() {
    int count = 0;
    for (Column column : columns) {
      if (column.presence() == null) {
        count += size;
      } else {
        for (int i = 0; i < size; i++) {
          count += column.has(i) ? 1 : 0;
        }
      }
    }
    return count;
  }
}
