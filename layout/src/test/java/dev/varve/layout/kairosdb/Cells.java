package dev.varve.layout.kairosdb;

import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.Refusal;
import dev.varve.layout.RowSamples;
import dev.varve.layout.StepRunner;
import dev.varve.model.Batch;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Collects what the layout encodes and returns it as cells or decoded points. */
final class Cells implements CellSink {
  private final Map<Integer, MutationBatch> data = new TreeMap<>();
  private final Map<Integer, MutationBatch> index = new TreeMap<>();
  final List<Refusal> refusals = new ArrayList<>();
  final List<String> refusedPlaces = new ArrayList<>();

  /** A sample with its stamp. */
  record Point(GroupKey key, long time, Value value, long stamp) {}

  static Cells encode(KairosDbLayout layout, Batch batch, long firstStamp) {
    Cells cells = new Cells();
    for (SampleGroup group : batch.groups()) {
      layout.encode(bind(layout, group.key()), group, firstStamp, cells);
    }
    return cells;
  }

  static Binding bind(KairosDbLayout layout, GroupKey key) {
    return new StepRunner(List.of(), () -> 0).run(layout.bind(key, true)).orElseThrow();
  }

  @Override
  public MutationBatch data(int table) {
    return data.computeIfAbsent(table, t -> new MutationBatch());
  }

  @Override
  public MutationBatch index(int table) {
    return index.computeIfAbsent(table, t -> new MutationBatch());
  }

  @Override
  public void refuse(int column, int sample, Refusal refusal) {
    refusedPlaces.add(column + ":" + sample);
    refusals.add(refusal);
  }

  /** Returns all cells of a table, those of indexes first. */
  List<Cell> of(int table) {
    List<Cell> cells = new ArrayList<>();
    for (Map<Integer, MutationBatch> batches : List.of(index, data)) {
      MutationBatch batch = batches.get(table);
      for (int i = 0; batch != null && i < batch.size(); i++) {
        cells.add(batch.cells().cell(i));
      }
    }
    return cells;
  }

  /** Decodes cells of {@code data_points} row by row; fails if any is damaged. */
  static List<Point> decode(KairosDbLayout layout, List<Cell> cells) {
    List<Point> points = new ArrayList<>();
    CellBatch batch = new CellBatch();
    cells.forEach(batch::add);
    int from = 0;
    for (int to = 1; to <= batch.size(); to++) {
      if (to == batch.size() || !batch.sameRow(from, to)) {
        RowSamples out = new RowSamples();
        layout.decode(batch, from, to, out);
        if (!out.damages().isEmpty()) {
          throw new AssertionError(out.damages());
        }
        GroupKey key = new StepRunner(List.of(), () -> 0).run(layout.identify(batch.row(from)));
        for (RowSamples.Vector vector : out.vectors()) {
          Samples samples = vector.samples();
          for (int i = 0; i < samples.size(); i++) {
            points.add(new Point(key, samples.time(i), samples.value(i), samples.stamp(i)));
          }
        }
        from = to;
      }
    }
    return points;
  }

  /** Returns why a cell of {@code data_points} is damaged. */
  static String damage(KairosDbLayout layout, Cell cell) {
    // A leading cell makes positions in the batch differ from positions in the row.
    CellBatch batch = new CellBatch();
    batch.add(new Cell(Bytes.utf8("before"), 0, Bytes.EMPTY, 0, Bytes.EMPTY));
    batch.add(cell);
    RowSamples out = new RowSamples();
    layout.decode(batch, 1, 2, out);
    if (out.damages().size() != 1 || out.damages().getFirst().cell() != 1) {
      throw new AssertionError("not damaged: " + cell + ", " + out.vectors());
    }
    return out.damages().getFirst().reason();
  }
}
