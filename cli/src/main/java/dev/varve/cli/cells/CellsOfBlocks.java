package dev.varve.cli.cells;

import dev.varve.cli.io.OutputFormat;
import dev.varve.engine.cells.BlocksOfPoints;
import dev.varve.formats.json.JsonLines;
import dev.varve.formats.points.Point;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockKey;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.BlockReader;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.TableSpec;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Prints the cells of blocks, and turns such cells into points. Series and metrics are numbers in
 * them; the names belong to these numbers in the catalog, so decoded points have numbers as names.
 */
final class CellsOfBlocks {
  private record Block(Bytes row, Bytes qualifier) {}

  private final BlockLayout layout;
  private final Map<Block, Cell> heads = new LinkedHashMap<>();
  private final Map<Block, Cell> bodies = new LinkedHashMap<>();

  CellsOfBlocks(BlockLayout layout) {
    this.layout = layout;
  }

  /** Prints the cells of points. */
  void print(BlocksOfPoints points, OutputFormat format, PrintWriter out) {
    TableSpec table = layout.tables().get(BlockLayout.BLOCKS);
    CellForm form = new CellForm(List.of(layout));
    try (CellPrinter printer = new CellPrinter(out)) {
      points.forEachCell((cell, description) -> {
        if (format == OutputFormat.json) {
          JsonLines.write(
              out, json -> form.write(new CellForm.Located(0, BlockLayout.BLOCKS, cell), json));
        } else {
          printer.print(table, cell, description, format);
        }
      });
    }
  }

  private static BlockHead head(Cell cell) {
    byte[] value = cell.value().toArray();
    return BlockHead.read(value, 0, value.length);
  }

  /**
   * Adds a cell to decode.
   *
   * @return why it is refused; null if it is not
   */
  @Nullable String take(CellForm.Located located) {
    Cell cell = located.cell();
    byte[] row = cell.row().toArray();
    if (located.table() != BlockLayout.BLOCKS) {
      return "it belongs to the journal, whose entries are not points of one series";
    }
    if (!BlockKey.isRow(row, 0, row.length)
        || cell.qualifier().length() != BlockKey.QUALIFIER_BYTES) {
      return "it has not the key of a block: 17 bytes of row and 16 of qualifier";
    }
    Block block = new Block(cell.row(), cell.qualifier());
    (cell.family() == BlockLayout.HEADS ? heads : bodies).put(block, cell);
    return null;
  }

  /**
   * Decodes the cells taken, in the order of their heads.
   *
   * @param damaged receives a cell that cannot be decoded, and why
   */
  void decode(Consumer<Point> points, BiConsumer<CellForm.Located, String> damaged) {
    heads.forEach((block, cell) -> {
      Cell body = bodies.remove(block);
      try {
        if (body == null) {
          throw new DamagedCellException("value: a head without a body");
        }
        decode(cell, body, points);
      } catch (DamagedCellException e) {
        damaged.accept(
            new CellForm.Located(0, BlockLayout.BLOCKS, cell), String.valueOf(e.getMessage()));
      }
    });
    bodies
        .values()
        .forEach(body ->
            damaged.accept(
                new CellForm.Located(0, BlockLayout.BLOCKS, body), "value: a body without a head"));
  }

  private static void decode(Cell head, Cell body, Consumer<Point> points) {
    byte[] row = head.row().toArray();
    byte[] value = body.value().toArray();
    SampleColumn column = new SampleColumn();
    new BlockReader().decode(head(head), null, value, 0, value.length, TimeRange.ALL, column);
    GroupKey key =
        GroupKey.of(
            "metric_" + BlockKey.metric(row, 0),
            Tags.of("series", String.valueOf(BlockKey.series(row, 0))));
    for (int i = 0; i < column.size(); i++) {
      Map<String, Value> fields = Map.of(Series.DEFAULT_FIELD, value(column, i));
      points.accept(new Point.Sample(key, column.time(i), fields));
    }
  }

  private static Value value(SampleColumn column, int index) {
    return switch (column.kind(index)) {
      case INT64 -> new Value.Int64(column.value(index));
      case DOUBLE -> new Value.Real(Double.longBitsToDouble(column.value(index)));
      case STRING -> new Value.Text(new String(column.textAt(index), StandardCharsets.UTF_8));
    };
  }
}
