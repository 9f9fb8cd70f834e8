package dev.varve.cli.cells;

import dev.varve.engine.cells.ScratchTables;
import dev.varve.formats.points.Point;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Layout;
import dev.varve.layout.RowSamples;
import dev.varve.model.Attribute;
import dev.varve.model.GroupKey;
import dev.varve.model.Samples;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Decodes cells: computes the points that the tables of a layout hold. */
final class PointsOfCells {
  /** Receives decoded points. */
  interface Sink {
    void point(Point point);

    /** Receives a damaged cell of the table of samples. */
    void damaged(Cell cell, String reason);
  }

  private final ScratchTables tables;
  private final Layout layout;
  private final Sink sink;
  private final RowSamples samples = new RowSamples();

  PointsOfCells(ScratchTables tables, Sink sink) {
    this.tables = tables;
    this.layout = tables.layout();
    this.sink = sink;
  }

  /**
   * Reads the table of samples.
   *
   * @param replaced cells of the table that other cells have replaced, which are read too
   */
  void read(List<Cell> replaced) {
    for (Cell cell : replaced) {
      CellBatch alone = new CellBatch();
      alone.add(cell);
      readRow(alone);
    }
    tables.forEachRow(layout.dataTable(), this::readRow);
  }

  private void readRow(CellBatch row) {
    GroupKey key;
    samples.clear();
    try {
      key = tables.run(layout.identify(row.row(0)));
      layout.decode(row, 0, row.size(), samples);
    } catch (DamagedCellException e) {
      for (int i = 0; i < row.size(); i++) {
        sink.damaged(row.cell(i), String.valueOf(e.getMessage()));
      }
      return;
    }
    for (RowSamples.Damage damage : samples.damages()) {
      sink.damaged(row.cell(damage.cell()), damage.reason());
    }
    for (RowSamples.Found found : samples.attributes()) {
      sink.point(
          new Point.Described(new Attribute(key, found.name(), found.time(), found.value())));
    }
    emitSamples(key);
  }

  private record Sample(long stamp, String field, Value value) {}

  /**
   * Combines the fields of an instant into one point. If a field has several samples at an instant,
   * there are several points, in order of acceptance.
   */
  private void emitSamples(GroupKey key) {
    TreeMap<Long, List<Sample>> instants = new TreeMap<>();
    for (RowSamples.Vector vector : samples.vectors()) {
      Samples column = vector.samples();
      for (int i = 0; i < column.size(); i++) {
        instants
            .computeIfAbsent(column.time(i), time -> new ArrayList<>())
            .add(new Sample(column.stamp(i), vector.field(), column.value(i)));
      }
    }
    instants.forEach((time, instant) -> emitInstant(key, time, instant));
  }

  private void emitInstant(GroupKey key, long time, List<Sample> instant) {
    instant.sort(Comparator.comparingLong(Sample::stamp));
    Map<String, Value> fields = new LinkedHashMap<>();
    for (Sample sample : instant) {
      if (fields.containsKey(sample.field)) {
        sink.point(new Point.Sample(key, time, fields));
        fields = new LinkedHashMap<>();
      }
      fields.put(sample.field, sample.value);
    }
    sink.point(new Point.Sample(key, time, fields));
  }
}
