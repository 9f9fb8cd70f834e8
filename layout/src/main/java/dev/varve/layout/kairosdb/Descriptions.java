package dev.varve.layout.kairosdb;

import dev.varve.layout.CellDescription;
import dev.varve.layout.CellDescription.Part;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.RowSamples;
import dev.varve.layout.RowShape;
import dev.varve.model.Bytes;
import dev.varve.model.Samples;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import java.util.ArrayList;
import java.util.List;

/** Produces human-readable breakdowns of the cells of all tables. */
final class Descriptions {
  private static final String ROW = "row";
  private static final String QUALIFIER = "qualifier";
  private static final String VALUE = "value";

  private final RowShape rows;
  private final RowWidth width;
  private final ColumnUnit unit;
  private final IndexReader index;

  Descriptions(RowShape rows, RowWidth width, ColumnUnit unit, IndexReader index) {
    this.rows = rows;
    this.width = width;
    this.unit = unit;
    this.index = index;
  }

  CellDescription describe(int table, Cell cell) {
    return switch (table) {
      case Tables.DATA_POINTS -> sample(cell);
      case Tables.ROW_KEYS -> listed(index.rowKeys(cell));
      case Tables.ROW_KEY_TIME_INDEX -> timeIndex(cell);
      case Tables.ROW_KEY_INDEX -> rowKeyIndex(cell);
      case Tables.STRING_INDEX -> string(cell);
      case Tables.TAG_INDEXED_ROW_KEYS -> listed(index.tagIndexedRowKeys(cell));
      case Tables.SPEC -> spec(cell);
      default -> throw new IllegalArgumentException("KairosDB has no table " + table);
    };
  }

  /** Example: {@code cells.long{host="a"} kairos_long 1970-01-01T00:00:01Z (1000) = 63}. */
  private CellDescription sample(Cell cell) {
    List<Part> parts = new ArrayList<>(rows.describe(cell.row()));
    byte[] row = cell.row().toArray();
    KeyOutput key = new KeyOutput();
    rows.decode(row, 0, row.length, key);
    DataType type = key.kind() == null ? DataType.UNTYPED : DataType.of(key.kind());

    RowSamples decoded = new RowSamples();
    SampleReader reader = new SampleReader(width, unit, key.time(), type, decoded);
    CellBatch batch = new CellBatch();
    batch.add(cell);
    reader.read(batch, 0, 1);
    if (!decoded.damages().isEmpty()) {
      throw new DamagedCellException(decoded.damages().getFirst().reason());
    }
    Samples samples = only(decoded);
    String value = show(samples.value(0));
    String time = Times.show(samples.time(0));

    long offset = samples.time(0) - key.time();
    String flag = unit == ColumnUnit.LEGACY ? ", flag " + (cell.qualifier().at(3) & 1) : "";
    parts.add(part(QUALIFIER, "offset", offset + " ms" + flag + ": " + time, cell.qualifier()));
    parts.add(part(VALUE, type.typeName(), value, cell.value()));
    return new CellDescription(
        "%s %s %s = %s".formatted(key.key(), type.typeName(), time, value), parts);
  }

  private static Samples only(RowSamples decoded) {
    for (RowSamples.Vector vector : decoded.vectors()) {
      if (!vector.samples().isEmpty()) {
        return vector.samples();
      }
    }
    throw new IllegalStateException("the cell is neither a sample nor damaged");
  }

  private static String show(Value value) {
    return switch (value) {
      case Value.Int64 v -> Long.toString(v.value());
      case Value.Real v -> Double.toString(v.value());
      case Value.Text v -> '"' + v.value() + '"';
      case Value.Raw v -> v.value().hex();
    };
  }

  private CellDescription timeIndex(Cell cell) {
    IndexReader.Columns columns = index.timeIndex(cell);
    return new CellDescription(
        "%s has rows of time %s"
            .formatted(columns.text(Tables.METRIC), Times.show(columns.rowTime())),
        parts(columns));
  }

  private static CellDescription listed(IndexReader.Columns columns) {
    return new CellDescription(
        "%s%s has a row %s of time %s"
            .formatted(
                columns.text(Tables.METRIC),
                columns.tags(),
                columns.text(Tables.DATA_TYPE),
                Times.show(columns.rowTime())),
        parts(columns));
  }

  private CellDescription rowKeyIndex(Cell cell) {
    IndexReader.checkEmpty(cell);
    List<Part> parts = new ArrayList<>();
    String metric = cell.row().toUtf8();
    parts.add(part(ROW, "metric", metric, cell.row()));
    for (Part part : rows.describe(cell.qualifier())) {
      parts.add(new Part(QUALIFIER, part.label(), part.text(), part.from(), part.to()));
    }
    byte[] row = cell.qualifier().toArray();
    KeyOutput key = new KeyOutput();
    rows.decode(row, 0, row.length, key);
    if (!key.key().metric().equals(metric)) {
      throw new DamagedCellException(
          "row key: metric '%s', and the qualifier is a row of metric '%s'"
              .formatted(metric, key.key().metric()));
    }
    return new CellDescription(
        "%s has a row of time %s".formatted(key.key(), Times.show(key.time())), parts);
  }

  private static CellDescription string(Cell cell) {
    String string = IndexReader.string(cell);
    String list = cell.row().toUtf8();
    List<Part> parts = new ArrayList<>();
    parts.add(part(ROW, "list", list, cell.row()));
    parts.add(part(QUALIFIER, "string", string, cell.qualifier()));
    if (!cell.value().isEmpty()) {
      parts.add(part(VALUE, "mark", "00", cell.value()));
    }
    return new CellDescription("'%s' is one of %s".formatted(string, list), parts);
  }

  private CellDescription spec(Cell cell) {
    IndexReader.Columns columns = IndexReader.spec(cell);
    String value = IndexReader.specValue(cell);
    new KairosDbSpec(unit, width).check(columns, value);
    List<Part> parts = new ArrayList<>(parts(columns));
    parts.add(part(VALUE, "value", value, cell.value()));
    return new CellDescription(
        "%s of %s is %s"
            .formatted(columns.text(Tables.SPEC_NAME), columns.text(Tables.SPEC_TYPE), value),
        parts);
  }

  private static List<Part> parts(IndexReader.Columns columns) {
    List<Part> parts = new ArrayList<>();
    columns.row().forEach(value -> parts.add(part(ROW, value)));
    columns.qualifier().forEach(value -> parts.add(part(QUALIFIER, value)));
    return parts;
  }

  private static Part part(String coordinate, Tuple.Value value) {
    String text =
        switch (value.value()) {
          case Long time -> Times.show(time);
          case Tags tags -> tags.toString();
          default -> value.value().toString();
        };
    return new Part(coordinate, value.column().name(), text, value.from(), value.to());
  }

  private static Part part(String coordinate, String label, String text, Bytes bytes) {
    return new Part(coordinate, label, text, 0, bytes.length());
  }
}
