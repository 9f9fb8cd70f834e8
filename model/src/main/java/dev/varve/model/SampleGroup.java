package dev.varve.model;

import java.util.List;

/**
 * Samples of one group key in columns: times, in any order and with repetitions, and for each field
 * a column of values. A later place was accepted after an earlier one. One field may stand in
 * several columns, each of another kind.
 *
 * @param size how many places of {@code times} and of every column are used
 */
public record SampleGroup(GroupKey key, int size, long[] times, List<Column> columns) {
  public SampleGroup {
    if (size < 0 || size > times.length) {
      throw new IllegalArgumentException(
          "group of " + size + " samples has " + times.length + " times");
    }
    columns = List.copyOf(columns);
  }

  /** How many values the columns hold together. */
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
