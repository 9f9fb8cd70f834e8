package dev.varve.engine.write;

import dev.varve.engine.PointExplanation;
import dev.varve.engine.QueryRefusedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.layout.Binding;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.SampleGroup;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Shows the cells that a batch would become in every layout of its periods. Writes nothing. */
final class PointExplainer {
  private final OpenDataset dataset;
  private final SeriesCache known;
  private final List<PointExplanation> cells = new ArrayList<>();

  PointExplainer(OpenDataset dataset, SeriesCache known) {
    this.dataset = dataset;
    this.known = known;
  }

  /**
   * Explains a batch.
   *
   * @throws QueryRefusedException if a layout refuses a point of the batch
   */
  List<PointExplanation> explain(Batch batch) {
    long stamp = dataset.clock().last() + 1;
    try {
      for (SampleGroup group : batch.groups()) {
        KnownSeries series = known.of(group.key());
        for (int place = 0; place < group.size(); place++) {
          BitSet one = new BitSet();
          one.set(place);
          explain(series, Places.select(group, one), stamp++);
        }
      }
      for (Attribute attribute : batch.attributes()) {
        explain(attribute, stamp++);
      }
    } catch (RefusedException e) {
      throw new QueryRefusedException(e.refusal().rule() + ": " + e.refusal().message());
    }
    return cells;
  }

  private void explain(KnownSeries series, SampleGroup place, long stamp) {
    Period period = dataset.periods().of(place.times()[0]);
    refuseBlocks(period);
    for (PlacedLayout layout : period.layouts()) {
      LayoutEdits edits = new LayoutEdits(layout);
      edits.refusals(PointExplainer::refuse);
      layout.layout().encode(layout.rehearse(series.key()), place, stamp, edits);
      describe(edits);
    }
  }

  private static void refuseBlocks(Period period) {
    if (period.blocks() != null) {
      throw new RefusedException(
          "blocks.point", "layout 'blocks' has no cells of single points: samples share blocks");
    }
  }

  private static void refuse(int column, int place, Refusal refusal) {
    throw new RefusedException(refusal.rule(), refusal.message());
  }

  private void explain(Attribute raw, long stamp) {
    KnownSeries series = known.of(raw.key());
    Attribute attribute = new Attribute(series.key(), raw.name(), raw.time(), raw.value());
    Period period = dataset.periods().of(attribute);
    refuseBlocks(period);
    PlacedLayout layout = period.primary();
    LayoutEdits edits = new LayoutEdits(layout);
    Binding binding = layout.rehearse(series.key());
    layout.layout().encode(binding, attribute, stamp, edits);
    describe(edits);
  }

  private void describe(LayoutEdits edits) {
    for (int table = 0; table < edits.tables(); table++) {
      describe(edits.layout(), table, edits.index(table), true);
      describe(edits.layout(), table, edits.data(table), false);
    }
  }

  private void describe(PlacedLayout layout, int table, MutationBatch edits, boolean index) {
    CellBatch batch = edits.cells();
    TableSpec spec = layout.table(table).spec();
    for (int edit = 0; edit < edits.size(); edit++) {
      if (edits.edit(edit) == MutationBatch.Edit.PUT) {
        Cell cell = batch.cell(edit);
        cells.add(
            new PointExplanation(
                layout.name(),
                spec.name(),
                spec.families().get(cell.family()).name(),
                cell.row(),
                cell.qualifier(),
                cell.time(),
                cell.value(),
                index,
                layout.layout().describe(table, cell)));
      }
    }
  }
}
