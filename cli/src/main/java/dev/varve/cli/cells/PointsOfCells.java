package dev.varve.cli.cells;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Layout;
import dev.varve.layout.RowSamples;
import dev.varve.model.Attribute;
import dev.varve.model.GroupKey;
import dev.varve.model.Samples;
import dev.varve.model.Value;
import dev.varve.server.points.Point;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;

/** Cells to points: what the tables of a layout say. */
final class PointsOfCells {
  /** Takes what is read. */
  interface Sink {
    void point(Point point);

    void damaged(int table, Cell cell, String reason);
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
   * Reads all tables: the rows of samples become points, every other cell is looked through for
   * damage.
   */
  void read() {
    for (int table = 0; table < layout.tables().size(); table++) {
      if (table == layout.dataTable()) {
        tables.forEachRow(table, this::readRow);
      } else {
        int index = table;
        tables.forEachCell(table, cell -> check(index, cell));
      }
    }
  }

  private void check(int table, Cell cell) {
    try {
      layout.describe(table, cell);
    } catch (DamagedCellException e) {
      sink.damaged(table, cell, e.getMessage());
    }
  }

  private void readRow(CellBatch row) {
    GroupKey key;
    samples.clear();
    try {
      key = tables.run(layout.identify(row.row(0)));
      layout.decode(row, 0, row.size(), samples);
    } catch (DamagedCellException e) {
      for (int i = 0; i < row.size(); i++) {
        sink.damaged(layout.dataTable(), row.cell(i), e.getMessage());
      }
      return;
    }
    for (RowSamples.Damage damage : samples.damages()) {
      sink.damaged(layout.dataTable(), row.cell(damage.cell()), damage.reason());
    }
    for (RowSamples.Found found : samples.attributes()) {
      sink.point(
          new Point.Described(new Attribute(key, found.name(), found.time(), found.value())));
    }
    emitSamples(key);
  }

  /**
   * Fields of one instant make one point; where an instant holds several samples of a field, they
   * make several.
   */
  private void emitSamples(GroupKey key) {
    TreeMap<Long, SequencedMap<Integer, Map<String, Value>>> instants = new TreeMap<>();
    for (RowSamples.Vector vector : samples.vectors()) {
      Samples column = vector.samples();
      for (int i = 0; i < column.size(); i++) {
        SequencedMap<Integer, Map<String, Value>> points =
            instants.computeIfAbsent(column.time(i), time -> new LinkedHashMap<>());
        int place = 0;
        while (points.containsKey(place) && points.get(place).containsKey(vector.field())) {
          place++;
        }
        points
            .computeIfAbsent(place, p -> new LinkedHashMap<>())
            .put(vector.field(), column.value(i));
      }
    }
    instants.forEach((time, points) ->
        points.values().forEach(fields -> sink.point(new Point.Sample(key, time, fields))));
  }
}
