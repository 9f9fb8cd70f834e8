package dev.varve.layout.kairosdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import dev.varve.model.Tags;
import dev.varve.store.Cell;
import dev.varve.store.TypedColumn;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Decodes the cells of the index tables, as {@link IndexWriter} or KairosDB writes them. All
 * methods throw {@link DamagedCellException} for other cells.
 */
final class IndexReader {
  private final RowWidth width;
  private final ColumnUnit unit;

  IndexReader(RowWidth width, ColumnUnit unit) {
    this.width = width;
    this.unit = unit;
  }

  /** The typed columns of a cell. */
  record Columns(List<Tuple.Value> row, List<Tuple.Value> qualifier) {
    private Object get(TypedColumn column) {
      for (List<Tuple.Value> values : List.of(row, qualifier)) {
        for (Tuple.Value value : values) {
          if (value.column().equals(column)) {
            return value.value();
          }
        }
      }
      throw new IllegalArgumentException("there is no column " + column.name());
    }

    String text(TypedColumn column) {
      return (String) get(column);
    }

    long rowTime() {
      return (Long) get(Tables.ROW_TIME);
    }

    Tags tags() {
      return (Tags) get(Tables.TAGS);
    }

    /** Returns the key of the row in {@code data_points} that the cell lists. */
    Bytes rowKey() {
      DataType type = dataType(text(Tables.DATA_TYPE));
      return new KeyBytes()
          .utf8(text(Tables.METRIC))
          .u8(0)
          .i64(rowTime())
          .raw(type.inKey())
          .raw(TagString.of(tags()))
          .toBytes();
    }
  }

  private static DataType dataType(String name) {
    DataType type = DataType.ofName(name);
    if (type == null) {
      throw new DamagedCellException(
          "qualifier: data_type '%s' is not kairos_long, kairos_double or kairos_string"
              .formatted(name));
    }
    return type;
  }

  /** Decodes a cell of {@code row_keys}, which lists all rows of one metric and row time. */
  Columns rowKeys(Cell cell) {
    Columns columns =
        new Columns(
            Tuple.read("row key", cell.row(), Tables.ROW_KEYS_ROW),
            Tuple.read("qualifier", cell.qualifier(), Tables.ROW_KEYS_QUALIFIER));
    checkListed(columns);
    checkEmpty(cell);
    return columns;
  }

  /**
   * Decodes a cell of {@code tag_indexed_row_keys}, which lists the rows of one metric, row time
   * and tag.
   */
  Columns tagIndexedRowKeys(Cell cell) {
    Columns columns =
        new Columns(
            Tuple.read("row key", cell.row(), Tables.TAG_INDEXED_ROW),
            Tuple.read("qualifier", cell.qualifier(), Tables.TAG_INDEXED_QUALIFIER));
    checkListed(columns);
    String pair = columns.text(Tables.SINGLE_TAG_PAIR);
    Tags tags = columns.tags();
    boolean tagged = false;
    for (int i = 0; i < tags.size(); i++) {
      tagged |= pair.equals(TagIndex.pair(tags.name(i), tags.value(i)));
    }
    if (!tagged) {
      throw new DamagedCellException(
          "row key: single_tag_pair '%s' is none of the tags %s".formatted(pair, tags));
    }
    checkEmpty(cell);
    return columns;
  }

  /** Decodes a cell of {@code row_key_time_index}, which lists the row times of a metric. */
  Columns timeIndex(Cell cell) {
    Columns columns =
        new Columns(
            Tuple.read("row key", cell.row(), Tables.TIME_INDEX_ROW),
            Tuple.read("qualifier", cell.qualifier(), Tables.TIME_INDEX_QUALIFIER));
    checkPlace(columns);
    checkEmpty(cell);
    return columns;
  }

  private void checkListed(Columns columns) {
    checkPlace(columns);
    if (dataType(columns.text(Tables.DATA_TYPE)) == DataType.UNTYPED && unit != ColumnUnit.LEGACY) {
      throw new DamagedCellException(
          "qualifier: data_type 'kairos_legacy'; such rows are read with unit=legacy");
    }
  }

  private void checkPlace(Columns columns) {
    String table = columns.text(Tables.TABLE_NAME);
    if (!table.equals(Tables.DATA_POINTS_NAME)) {
      throw new DamagedCellException(
          "column table_name: '%s', expected data_points".formatted(table));
    }
    if (!width.isRowTime(columns.rowTime())) {
      throw new DamagedCellException(
          "column row_time: %d is not possible with a row width of %d ms"
              .formatted(columns.rowTime(), width.millis()));
    }
  }

  /** Returns the string in a cell of any row of {@code string_index}. */
  static String string(Cell cell) {
    if (!cell.value().isEmpty() && !cell.value().equals(Tables.STRING_VALUE)) {
      throw new DamagedCellException(
          "value: %s, a string stands with 00 or with nothing".formatted(cell.value()));
    }
    byte[] bytes = cell.qualifier().toArray();
    int malformed = Utf8.malformedAt(bytes, 0, bytes.length);
    if (malformed >= 0) {
      throw new DamagedCellException(
          "qualifier: byte %d, %02x, of the string is not UTF-8"
              .formatted(malformed, bytes[malformed]));
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Decodes a cell of {@code spec}, which holds a property of the keyspace. */
  static Columns spec(Cell cell) {
    return new Columns(
        Tuple.read("row key", cell.row(), Tables.SPEC_ROW),
        Tuple.read("qualifier", cell.qualifier(), Tables.SPEC_QUALIFIER));
  }

  /** Returns the value of the property in a cell of {@code spec}. */
  static String specValue(Cell cell) {
    byte[] bytes = cell.value().toArray();
    int malformed = Utf8.malformedAt(bytes, 0, bytes.length);
    if (malformed >= 0) {
      throw new DamagedCellException(
          "value: byte %d, %02x, is not UTF-8".formatted(malformed, bytes[malformed]));
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  static void checkEmpty(Cell cell) {
    if (!cell.value().isEmpty()) {
      throw new DamagedCellException(
          "value: %d bytes, and none were expected".formatted(cell.value().length()));
    }
  }
}
