package dev.varve.engine.write;

import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.request.PointExplanation;
import dev.varve.layout.CellDescription;
import dev.varve.layout.block.BlockCells;
import dev.varve.layout.block.BlockDescription;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Column;
import dev.varve.model.SampleGroup;
import dev.varve.model.Series;
import dev.varve.store.Cell;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Shows the blocks that samples would become if they were sealed alone. Series without a number are
 * shown with the one that comes next. Assigns and writes nothing.
 */
final class BlockExplainer {
  private final OpenDataset dataset;
  private final SeriesNumbers numbers;

  /** Numbers of series that the home lacks, and of their metrics. */
  private final Map<Series, Integer> newSeries = new HashMap<>();

  private final Map<SeriesNumbers.Metric, Integer> newMetrics = new HashMap<>();

  BlockExplainer(OpenDataset dataset) {
    this.dataset = dataset;
    this.numbers = dataset.index().numbers();
  }

  /**
   * Explains samples of a series, all in one period.
   *
   * @param stamp the generation of the blocks
   */
  List<PointExplanation> explain(KnownSeries series, Period period, SampleGroup group, long stamp) {
    TableSpec spec = period.tiers().table().spec();
    List<PointExplanation> shown = new ArrayList<>();
    List<String> fields = group.columns().stream().map(Column::field).distinct().toList();
    for (String field : fields) {
      SampleColumn column = new SampleColumn();
      BlockCells.add(group, field, column);
      column.settle(new SampleColumn());
      int number = series(series, field);
      int metric = metric(series, field);
      List<Cell> cells = BlockCells.encode(column, dataset.resolution(), metric, number, stamp);
      for (int i = 0; i < cells.size(); i += 2) {
        byte[] head = cells.get(i).value().toArray();
        BlockHead read = BlockHead.read(head, 0, head.length);
        shown.add(
            explanation(
                spec, cells.get(i), BlockDescription.ofHead(cells.get(i), dataset.resolution())));
        shown.add(
            explanation(
                spec,
                cells.get(i + 1),
                BlockDescription.ofBody(cells.get(i + 1), read, dataset.resolution())));
      }
    }
    return shown;
  }

  private int series(KnownSeries series, String field) {
    int key = series.state().series();
    int known = key < 0 ? SeriesNumbers.NONE : numbers.find(key, field);
    return known != SeriesNumbers.NONE
        ? known
        : newSeries.computeIfAbsent(
            series.key().field(field), one -> numbers.size() + newSeries.size());
  }

  private int metric(KnownSeries series, String field) {
    SeriesNumbers.Metric metric = new SeriesNumbers.Metric(series.key().metric(), field);
    int known = numbers.find(metric);
    return known != SeriesNumbers.NONE
        ? known
        : newMetrics.computeIfAbsent(metric, one -> numbers.metrics() + newMetrics.size());
  }

  private static PointExplanation explanation(
      TableSpec spec, Cell cell, CellDescription description) {
    return new PointExplanation(
        BlockLayout.NAME,
        spec.name(),
        spec.families().get(cell.family()).name(),
        cell.row(),
        cell.qualifier(),
        cell.time(),
        cell.value(),
        false,
        description);
  }
}
