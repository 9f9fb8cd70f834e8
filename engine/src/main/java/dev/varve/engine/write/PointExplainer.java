package dev.varve.engine.write;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.request.PointExplanation;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Shows the cells that a batch would become in every layout of its periods. Writes nothing. */
final class PointExplainer {
  private final OpenDataset dataset;
  private final SeriesCache known;
  private final BlockExplainer blocks;
  private final List<PointExplanation> cells = new ArrayList<>();

  PointExplainer(OpenDataset dataset, SeriesCache known) {
    this.dataset = dataset;
    this.known = known;
    this.blocks = new BlockExplainer(dataset);
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
        Map<Period, BitSet> inBlocks = new LinkedHashMap<>();
        for (int index = 0; index < group.size(); index++) {
          Period period = dataset.periods().of(group.times()[index]);
          if (period.isInBlocks()) {
            inBlocks.computeIfAbsent(period, one -> new BitSet()).set(index);
          } else {
            BitSet one = new BitSet();
            one.set(index);
            explain(series, period, SampleSelection.select(group, one), stamp++);
          }
        }
        for (Map.Entry<Period, BitSet> each : inBlocks.entrySet()) {
          SampleGroup samples = SampleSelection.select(group, each.getValue());
          cells.addAll(blocks.explain(series, each.getKey(), samples, stamp++));
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

  private void explain(KnownSeries series, Period period, SampleGroup sample, long stamp) {
    for (PlacedLayout layout : period.layouts()) {
      LayoutEdits edits = new LayoutEdits(layout);
      edits.refusals(PointExplainer::refuse);
      layout.layout().encode(layout.rehearse(series.key()), sample, stamp, edits);
      describe(edits);
    }
  }

  private static void refuse(int column, int index, Refusal refusal) {
    throw new RefusedException(refusal.rule(), refusal.message());
  }

  private void explain(Attribute raw, long stamp) {
    KnownSeries series = known.of(raw.key());
    Attribute attribute = new Attribute(series.key(), raw.name(), raw.time(), raw.value());
    Period period = dataset.periods().of(attribute);
    if (period.isInBlocks() || dataset.periods().isConverting()) {
      throw new RefusedException("blocks.attribute", "layout 'blocks' has no attributes");
    }
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
