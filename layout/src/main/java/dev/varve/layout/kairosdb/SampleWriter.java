package dev.varve.layout.kairosdb;

import dev.varve.layout.CellSink;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.LaterPlaces;
import dev.varve.layout.Refusal;
import dev.varve.model.Column;
import dev.varve.model.SampleGroup;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.store.MutationBatch;
import org.jspecify.annotations.Nullable;

/**
 * Writes one group of samples: one cell in {@code data_points} per value, and the index cells of
 * each row. Adjacent samples of one row share its encoded key.
 */
final class SampleWriter {
  private final RowWidth width;
  private final TimeRange times;
  private final ColumnUnit unit;
  private final KairosDbBinding binding;
  private final CellSink sink;
  private final IndexWriter index;
  private final KeyBytes row = new KeyBytes();
  private final KeyBytes cell = new KeyBytes();

  SampleWriter(RowWidth width, ColumnUnit unit, KairosDbBinding binding, CellSink sink) {
    this.width = width;
    this.times = width.times();
    this.unit = unit;
    this.binding = binding;
    this.sink = sink;
    this.index = new IndexWriter(binding, sink);
  }

  /** Writes the group, column by column and value by value. */
  void write(SampleGroup group, long firstStamp) {
    int @Nullable [] later = LaterPlaces.of(group);
    for (int column = 0; column < group.columns().size(); column++) {
      write(group, column, firstStamp, later);
    }
  }

  private void write(SampleGroup group, int place, long firstStamp, int @Nullable [] later) {
    Column values = group.columns().get(place);
    if (!values.field().equals(Series.DEFAULT_FIELD)) {
      refuseField(group, place, values);
      return;
    }
    DataType type = DataType.of(values.kind());
    row.clear();
    long rowTime = 0;
    for (int i = 0; i < group.size(); i++) {
      if (!values.has(i)) {
        continue;
      }
      long time = group.times()[i];
      if (!times.contains(time)) {
        refuse(place, i, "kairosdb.time", beyond(time));
        continue;
      }
      long bucket = width.rowTime(time);
      if (!unit.holds(time - bucket)) {
        refuse(place, i, "kairosdb.time", cut(time, bucket));
        continue;
      }
      cell.clear();
      cell.u32(unit.column(time - bucket));
      String problem = value(values, i);
      if (!problem.isEmpty()) {
        refuse(place, i, "kairosdb.text", problem);
        continue;
      }
      long cellTime = Math.floorDiv(firstStamp + i, 1000L) - (later == null ? 0 : later[i]);
      if (row.length() == 0 || bucket != rowTime) {
        rowTime = bucket;
        startRow(type, rowTime, cellTime);
      }
      put(cellTime);
    }
  }

  private void startRow(DataType type, long rowTime, long cellTime) {
    index.row(type, rowTime, cellTime);
    row.clear();
    row.raw(binding.metricInKey()).i64(rowTime).raw(type.inKey()).raw(binding.tagsInKey());
  }

  /** Appends a value to the cell. Returns why it cannot be written, or an empty string. */
  private String value(Column values, int i) {
    switch (values) {
      case Column.Doubles doubles -> Values.writeDouble(doubles.values()[i], cell);
      case Column.Longs longs -> Values.writeLong(longs.values()[i], cell);
      case Column.Texts texts -> {
        return Values.writeText(texts.bytes(), texts.start(i), texts.end(i), cell);
      }
    }
    return "";
  }

  private void put(long cellTime) {
    MutationBatch data = sink.data(Tables.DATA_POINTS);
    byte[] bytes = cell.array();
    data.put(
        row.array(),
        0,
        row.length(),
        0,
        bytes,
        0,
        ColumnUnit.BYTES,
        cellTime,
        bytes,
        ColumnUnit.BYTES,
        cell.length() - ColumnUnit.BYTES);
  }

  private void refuseField(SampleGroup group, int place, Column values) {
    Refusal refusal =
        new Refusal(
            "kairosdb.field",
            "KairosDB holds one value a sample, and %s has a field '%s'"
                .formatted(group.key(), values.field()));
    for (int i = 0; i < group.size(); i++) {
      if (values.has(i)) {
        sink.refuse(place, i, refusal);
      }
    }
  }

  private void refuse(int place, int sample, String rule, String problem) {
    sink.refuse(place, sample, new Refusal(rule, binding.key() + ": " + problem));
  }

  private String beyond(long time) {
    return "time %d ms is outside of %d to %d, the supported range"
        .formatted(time, times.from(), times.to() - 1);
  }

  private String cut(long time, long bucket) {
    return ("time %d ms would read back as %d ms: unit=seconds only holds times that are whole"
            + " seconds after their row time, here %d ms")
        .formatted(time, bucket + unit.offset(unit.column(time - bucket)), bucket);
  }
}
