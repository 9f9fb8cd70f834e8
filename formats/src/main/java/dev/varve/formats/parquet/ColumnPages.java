package dev.varve.formats.parquet;

import dev.varve.model.Kind;
import java.util.List;
import java.util.stream.Stream;

/** Encodes the columns of a row group, at once on all processors. */
final class ColumnPages {
  private ColumnPages() {}

  static List<ColumnChunk> encode(RowGroup rows) {
    return Stream.of(Leaf.values()).parallel().map(leaf -> encode(leaf, rows)).toList();
  }

  private static ColumnChunk encode(Leaf leaf, RowGroup rows) {
    try (ColumnChunk chunk = new ColumnChunk(leaf)) {
      switch (leaf) {
        case METRIC -> SeriesColumn.encode(chunk, leaf, rows, series -> List.of(series.metric()));
        case LABEL_NAME ->
            SeriesColumn.encode(chunk, leaf, rows, series -> series.key().tags().names());
        case LABEL_VALUE ->
            SeriesColumn.encode(
                chunk, leaf, rows, series -> SeriesColumn.valuesOf(series.key().tags()));
        case TIME -> ValueColumn.times(chunk, rows);
        case VALUE_DOUBLE -> ValueColumn.values(chunk, rows, Kind.DOUBLE);
        case VALUE_INT64 -> ValueColumn.values(chunk, rows, Kind.INT64);
        case VALUE_STRING -> ValueColumn.values(chunk, rows, Kind.STRING);
        case FIELD -> SeriesColumn.encode(chunk, leaf, rows, series -> List.of(series.field()));
        case RESOURCE_NAME ->
            SeriesColumn.encode(chunk, leaf, rows, series -> series.key().resource().names());
        case RESOURCE_VALUE ->
            SeriesColumn.encode(
                chunk, leaf, rows, series -> SeriesColumn.valuesOf(series.key().resource()));
      }
      return chunk;
    }
  }
}
