package dev.varve.cli.cells;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.varve.engine.cells.CellsOfPoints;
import dev.varve.engine.cells.ScratchTables;
import dev.varve.formats.points.Point;
import dev.varve.formats.points.PointLines;
import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Fuzzes declarations of layouts. A valid one writes points as cells and reads the same points from
 * them, or refuses a point by rule. An invalid one has faults.
 */
public final class DeclaredCellsFuzz {
  private static final List<Batch> POINTS = points();

  private DeclaredCellsFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    String text = new String(input, UTF_8);
    List<Layout> layouts;
    try {
      // A single line would be a name.
      layouts = Layouts.all(text.contains("\n") ? text : text + "\n", Map.of());
    } catch (IllegalArgumentException | RefusedException e) {
      if (e.getMessage() == null || e.getMessage().isEmpty()) {
        throw new AssertionError("refused without a reason", e);
      }
      return;
    }
    for (Layout layout : layouts) {
      POINTS.forEach(points -> ensureSame(layout, points));
    }
  }

  private static List<Batch> points() {
    GroupKey key = GroupKey.of("cpu", Tags.of(Map.of("host", "a", "site", "3")));
    GroupKey other = GroupKey.of("a.b", Tags.of(Map.of("é", "5", "host", "a\u0000b")));
    List<Batch> all = new ArrayList<>();
    for (GroupKey each : List.of(key, other)) {
      for (long time : List.of(0L, -1L, 1_700_000_000_123L)) {
        for (Value value :
            List.of(new Value.Real(-0.5), new Value.Int64(7), new Value.Text("t\u0000é"))) {
          BatchBuilder batch = new BatchBuilder();
          batch.add(each, time, value);
          batch.add(each, time + 3_600_000, value);
          all.add(batch.build());
        }
      }
    }
    return all;
  }

  private static void ensureSame(Layout layout, Batch points) {
    List<String> refused = new ArrayList<>();
    Lines read = new Lines();
    try (ScratchTables tables = new ScratchTables(layout)) {
      try (CellsOfPoints cells = new CellsOfPoints(tables, refused::add)) {
        cells.write(points);
      }
      new PointsOfCells(tables, read).read(List.of());
    }
    StringWriter written = new StringWriter();
    PointLines.write(points, written);
    TreeSet<String> expected = new TreeSet<>(written.toString().lines().toList());
    if (refused.isEmpty() ? !read.lines.equals(expected) : !expected.containsAll(read.lines)) {
      throw new AssertionError(
          "%s is read as %s; refused: %s".formatted(expected, read.lines, refused));
    }
  }

  private static final class Lines implements PointsOfCells.Sink {
    private final TreeSet<String> lines = new TreeSet<>();

    @Override
    public void point(Point point) {
      StringWriter line = new StringWriter();
      PointLines.write(point, line);
      lines.add(line.toString().stripTrailing());
    }

    @Override
    public void damaged(Cell cell, String reason) {
      throw new AssertionError("damaged as it was written: " + reason);
    }
  }
}
