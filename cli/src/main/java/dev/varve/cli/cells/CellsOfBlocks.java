package dev.varve.cli.cells;

import dev.varve.cli.OutputFormat;
import dev.varve.formats.json.JsonLines;
import dev.varve.formats.points.Point;
import dev.varve.layout.CellDescription;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.block.BlockCells;
import dev.varve.layout.block.BlockDescription;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockKey;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.BlockReader;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.Bytes;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
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

/**
 * Turns points into the cells of the blocks that hold just them, and such cells into points. Series
 * and metrics are numbered from 0 in order of appearance, as in a new dataset. The names belong to
 * these numbers in the catalog, so decoded points have numbers as names.
 */
final class CellsOfBlocks {
  private static final long GENERATION = 1;

  private record Metric(String name, String field) {}

  private record Block(Bytes row, Bytes qualifier) {}

  private final BlockLayout layout;
  private final Map<Series, SampleColumn> columns = new LinkedHashMap<>();
  private final Map<Metric, Integer> metrics = new LinkedHashMap<>();
  private final Map<Block, Cell> heads = new LinkedHashMap<>();
  private final Map<Block, Cell> bodies = new LinkedHashMap<>();

  CellsOfBlocks(BlockLayout layout) {
    this.layout = layout;
  }

  /**
   * Adds points.
   *
   * @param complaints receives a line for each refused point
   */
  void add(Batch batch, Consumer<String> complaints) {
    for (SampleGroup group : batch.groups()) {
      group.columns().stream()
          .map(Column::field)
          .distinct()
          .forEach(field -> {
            Series series = group.key().field(field);
            BlockCells.add(
                group, field, columns.computeIfAbsent(series, one -> new SampleColumn()));
          });
    }
    for (Attribute attribute : batch.attributes()) {
      complaints.accept(attribute.key() + ": blocks.attribute: layout 'blocks' has no attributes");
    }
  }

  /** Prints the cells of all points. */
  void print(OutputFormat format, PrintWriter out) {
    TableSpec table = layout.tables().get(BlockLayout.BLOCKS);
    CellForm form = new CellForm(List.of(layout));
    int series = 0;
    try (CellPrinter printer = new CellPrinter(out)) {
      for (Map.Entry<Series, SampleColumn> each : columns.entrySet()) {
        SampleColumn column = each.getValue();
        column.settle(new SampleColumn());
        Metric metric = new Metric(each.getKey().key().metric(), each.getKey().field());
        Integer known = metrics.putIfAbsent(metric, metrics.size());
        int ofMetric = known == null ? metrics.size() - 1 : known;
        List<Cell> cells =
            BlockCells.encode(column, layout.resolution(), ofMetric, series++, GENERATION);
        for (int i = 0; i < cells.size(); i++) {
          Cell cell = cells.get(i);
          if (format == OutputFormat.json) {
            JsonLines.write(
                out, json -> form.write(new CellForm.Located(0, BlockLayout.BLOCKS, cell), json));
          } else {
            CellDescription description =
                i % 2 == 0
                    ? BlockDescription.ofHead(cell, layout.resolution())
                    : BlockDescription.ofBody(cell, head(cells.get(i - 1)), layout.resolution());
            printer.print(table, cell, description, format);
          }
        }
      }
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
  @org.jspecify.annotations.Nullable
  String take(CellForm.Located located) {
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
