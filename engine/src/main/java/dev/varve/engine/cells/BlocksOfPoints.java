package dev.varve.engine.cells;

import dev.varve.layout.CellDescription;
import dev.varve.layout.block.BlockCells;
import dev.varve.layout.block.BlockDescription;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.Column;
import dev.varve.model.SampleGroup;
import dev.varve.model.Series;
import dev.varve.store.Cell;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Encodes points as the blocks that hold just them. Series and metrics are numbered from 0 in order
 * of appearance, as in a new dataset. For one thread.
 */
public final class BlocksOfPoints {
  private static final long GENERATION = 1;

  private record Metric(String name, String field) {}

  private final BlockLayout layout;
  private final Map<Series, SampleColumn> columns = new LinkedHashMap<>();

  public BlocksOfPoints(BlockLayout layout) {
    this.layout = layout;
  }

  /**
   * Adds points.
   *
   * @param complaints receives a line for each refused point
   */
  public void add(Batch batch, Consumer<String> complaints) {
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

  /** Passes on the cells of all points, which are in the table of blocks. Called once. */
  public void forEachCell(BiConsumer<Cell, CellDescription> action) {
    Map<Metric, Integer> metrics = new LinkedHashMap<>();
    int series = 0;
    for (Map.Entry<Series, SampleColumn> each : columns.entrySet()) {
      SampleColumn column = each.getValue();
      column.settle(new SampleColumn());
      Metric metric = new Metric(each.getKey().key().metric(), each.getKey().field());
      Integer known = metrics.putIfAbsent(metric, metrics.size());
      int ofMetric = known == null ? metrics.size() - 1 : known;
      List<Cell> cells =
          BlockCells.encode(column, layout.resolution(), ofMetric, series++, GENERATION);
      for (int i = 0; i < cells.size(); i += 2) {
        Cell head = cells.get(i);
        Cell body = cells.get(i + 1);
        byte[] value = head.value().toArray();
        action.accept(head, BlockDescription.ofHead(head, layout.resolution()));
        action.accept(
            body,
            BlockDescription.ofBody(
                body, BlockHead.read(value, 0, value.length), layout.resolution()));
      }
    }
  }
}
