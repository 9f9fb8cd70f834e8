package dev.varve.layout.kairosdb;

import dev.varve.layout.CellSink;
import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import dev.varve.store.MutationBatch;

/**
 * Writes the index cells of the rows of one key:
 *
 * <pre>
 *   table                 row                                             qualifier              value
 *   string_index          metric_names (ASCII)                            metric (UTF-8)         00
 *   row_key_time_index    (metric)                                        (data_points, row time)
 *   row_keys              (metric, data_points, row time)                 (data type, tags)
 *   tag_indexed_row_keys  (metric, data_points, row time, name=value)     (data type, hash, tags)
 * </pre>
 *
 * Parentheses denote a {@link Tuple}. The last table has one cell per indexed tag.
 */
final class IndexWriter {
  private static final byte[] STRING_VALUE = Tables.STRING_VALUE.toArray();
  private static final byte[] NONE = {};

  private final KairosDbBinding binding;
  private final CellSink sink;
  private final KeyBytes row = new KeyBytes();
  private final KeyBytes qualifier = new KeyBytes();
  private boolean named;

  IndexWriter(KairosDbBinding binding, CellSink sink) {
    this.binding = binding;
    this.sink = sink;
  }

  /** Writes the index cells of one row. */
  void row(DataType type, long rowTime, long cellTime) {
    if (!named) {
      row.clear();
      row.raw(Tables.METRIC_NAMES);
      qualifier.clear();
      // Drop the zero byte that ends the metric in row keys.
      qualifier.raw(binding.metricInKey()).truncate(qualifier.length() - 1);
      put(Tables.STRING_INDEX, cellTime, STRING_VALUE);
      named = true;
    }

    row.clear();
    row.raw(binding.metricColumn());
    qualifier.clear();
    Tuple.timestamp(rowTime, qualifier.raw(Tables.DATA_POINTS_COLUMN));
    put(Tables.ROW_KEY_TIME_INDEX, cellTime, NONE);

    Tuple.timestamp(rowTime, row.raw(Tables.DATA_POINTS_COLUMN));
    qualifier.clear();
    qualifier.raw(type.column()).raw(binding.tagsColumn());
    put(Tables.ROW_KEYS, cellTime, NONE);

    if (!binding.indexedPairs().isEmpty()) {
      underEachTag(type, cellTime);
    }
  }

  private void underEachTag(DataType type, long cellTime) {
    qualifier.clear();
    Tuple.int32(binding.tagHash(), qualifier.raw(type.column()));
    qualifier.raw(binding.tagsColumn());
    int untagged = row.length();
    for (Bytes pair : binding.indexedPairs()) {
      row.truncate(untagged);
      row.raw(pair);
      put(Tables.TAG_INDEXED_ROW_KEYS, cellTime, NONE);
    }
  }

  private void put(int table, long cellTime, byte[] value) {
    MutationBatch cells = sink.index(table);
    cells.put(
        row.array(),
        0,
        row.length(),
        0,
        qualifier.array(),
        0,
        qualifier.length(),
        cellTime,
        value,
        0,
        value.length);
  }
}
