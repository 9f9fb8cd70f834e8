package dev.varve.layout.kairosdb;

import dev.varve.layout.CellSink;
import dev.varve.layout.Directory.IndexEdits;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.Refusal;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Makes the edits that delete the cells of {@link IndexWriter}. The cells that the keys of a metric
 * share, its name and its row times, go with the metric. Used once.
 */
final class IndexRemoval {
  private final SortedMap<Integer, MutationBatch> edits = new TreeMap<>();

  /** Takes the index cells of a row, to delete those of one key alone. */
  private final SortedMap<Integer, MutationBatch> written = new TreeMap<>();

  private final CellSink sink =
      new CellSink() {
        @Override
        public MutationBatch data(int table) {
          throw new IllegalStateException("an index cell in table " + table + " of samples");
        }

        @Override
        public MutationBatch index(int table) {
          return written.computeIfAbsent(table, one -> new MutationBatch());
        }

        @Override
        public void refuse(int column, int sample, Refusal refusal) {
          throw new IllegalStateException(refusal.message());
        }
      };

  /**
   * Deletes the index cells of the rows of a key that begin at a time, whatever their data type.
   */
  void key(KairosDbBinding key, long rowTime) {
    for (DataType type : DataType.WRITTEN) {
      new IndexWriter(key, sink).row(type, rowTime, 0);
    }
    delete(Tables.ROW_KEYS);
    delete(Tables.TAG_INDEXED_ROW_KEYS);
    written.clear();
  }

  private void delete(int table) {
    MutationBatch cells = written.get(table);
    for (int i = 0; cells != null && i < cells.size(); i++) {
      delete(table, cells.cells().row(i), cells.cells().qualifier(i));
    }
  }

  private void delete(int table, Bytes row, Bytes qualifier) {
    edits
        .computeIfAbsent(table, one -> new MutationBatch())
        .deleteColumn(row, 0, qualifier, TimeRange.ALL);
  }

  /**
   * Deletes the name of a metric and its row times.
   *
   * @param key any key of the metric
   * @param timeIndex the cells of its row times
   */
  void metric(KairosDbBinding key, CellBatch timeIndex) {
    for (int cell = 0; cell < timeIndex.size(); cell++) {
      delete(Tables.ROW_KEY_TIME_INDEX, timeIndex.row(cell), timeIndex.qualifier(cell));
    }
    KeyBytes name = new KeyBytes().raw(key.metricInKey());
    // Drop the zero byte that ends the metric in row keys.
    name.truncate(name.length() - 1);
    delete(Tables.STRING_INDEX, Tables.METRIC_NAMES, name.toBytes());
  }

  List<IndexEdits> edits() {
    List<IndexEdits> all = new ArrayList<>();
    edits.forEach((table, of) -> all.add(new IndexEdits(table, of)));
    return all;
  }
}
