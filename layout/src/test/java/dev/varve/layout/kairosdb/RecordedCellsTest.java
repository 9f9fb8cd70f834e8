package dev.varve.layout.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.kairosdb.Cells.Point;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Encodes and decodes cells recorded from a running KairosDB. */
class RecordedCellsTest {
  private static final String RECORDED = "kairosdb-cells.tsv";

  private final KairosDbLayout layout = KairosDbLayout.of(Map.of());
  private final List<Point> points = points();

  @Test
  void encodesEveryPointToTheCellsOfTheOriginal() {
    Cells encoded = encoded();
    assertThat(encoded.refusals).isEmpty();
    assertThat(lines(encoded.of(Tables.DATA_POINTS))).isEqualTo(lines("data_points"));
  }

  @Test
  void decodesEveryCellOfTheOriginal() {
    List<Cell> cells = new ArrayList<>();
    for (String[] fact : Facts.of(RECORDED, "data_points")) {
      cells.add(cell(fact[0], fact[1], fact[2]));
    }
    assertThat(Cells.decode(layout, cells)).containsExactlyInAnyOrderElementsOf(points);
    for (Cell cell : cells) {
      assertThat(layout.describe(Tables.DATA_POINTS, cell).summary()).contains("{host=\"a\"}");
    }
  }

  @Test
  void writesTheIndexRowsOfTheOriginal() {
    Cells encoded = encoded();
    IndexReader reader = new IndexReader(new RowWidth(1_814_400_000L), ColumnUnit.MILLISECONDS);
    assertThat(lines(encoded.of(Tables.ROW_KEYS), cell -> line(reader.rowKeys(cell))))
        .isEqualTo(lines("row_keys"));
    assertThat(lines(encoded.of(Tables.ROW_KEY_TIME_INDEX), cell -> line(reader.timeIndex(cell))))
        .isEqualTo(lines("row_key_time_index"));
    assertThat(
            lines(
                encoded.of(Tables.STRING_INDEX),
                cell -> cell.row() + "\t" + IndexReader.string(cell) + "\t" + cell.value()))
        .isEqualTo(lines("string_index"));
    assertThat(encoded.of(Tables.ROW_KEY_INDEX)).isEmpty();
    assertThat(encoded.of(Tables.TAG_INDEXED_ROW_KEYS)).isEmpty();
  }

  @Test
  void listsInTheIndexTheRowsThatTheOriginalHas() {
    IndexReader reader = new IndexReader(new RowWidth(1_814_400_000L), ColumnUnit.MILLISECONDS);
    Set<String> rows = new TreeSet<>();
    for (String[] fact : Facts.of(RECORDED, "data_points")) {
      rows.add(fact[0]);
    }
    assertThat(
            lines(encoded().of(Tables.ROW_KEYS), cell -> reader.rowKeys(cell).rowKey().toString()))
        .isEqualTo(rows);
  }

  private Cells encoded() {
    BatchBuilder batch = new BatchBuilder();
    for (Point point : points) {
      batch.add(point.key(), point.time(), point.value());
    }
    return Cells.encode(layout, batch.build(), 0);
  }

  private static List<Point> points() {
    List<Point> points = new ArrayList<>();
    for (String[] fact : Facts.of(RECORDED, "point")) {
      Value value =
          fact[3].equals("long")
              ? new Value.Int64(Long.parseLong(fact[4]))
              : new Value.Real(Double.parseDouble(fact[4]));
      points.add(
          new Point(GroupKey.of(fact[0], Facts.tags(fact[1])), Long.parseLong(fact[2]), value, 0));
    }
    return points;
  }

  private static Cell cell(String row, String qualifier, String value) {
    return new Cell(Bytes.fromHex(row), 0, Bytes.fromHex(qualifier), 0, Bytes.fromHex(value));
  }

  private static String line(IndexReader.Columns columns) {
    List<String> line = new ArrayList<>();
    for (List<Tuple.Value> values : List.of(columns.row(), columns.qualifier())) {
      for (Tuple.Value value : values) {
        line.add(
            value.value() instanceof Tags tags ? "host=" + tags.get("host") : "" + value.value());
      }
    }
    return String.join("\t", line);
  }

  private static Set<String> lines(List<Cell> cells) {
    return lines(cells, cell -> cell.row() + "\t" + cell.qualifier() + "\t" + cell.value());
  }

  private static Set<String> lines(List<Cell> cells, Function<Cell, String> line) {
    Set<String> lines = new TreeSet<>();
    cells.forEach(cell -> lines.add(line.apply(cell)));
    return lines;
  }

  private static Set<String> lines(String table) {
    Set<String> lines = new TreeSet<>();
    Facts.of(RECORDED, table).forEach(fact -> lines.add(String.join("\t", fact)));
    return lines;
  }
}
