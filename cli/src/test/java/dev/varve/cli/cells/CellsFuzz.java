package dev.varve.cli.cells;

import dev.varve.cli.cells.CellForm.Located;
import dev.varve.cli.io.OutputFormat;
import dev.varve.engine.cells.ScratchTables;
import dev.varve.formats.points.Point;
import dev.varve.formats.points.PointLines;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Directory;
import dev.varve.layout.Guess;
import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.registry.Inference;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.MutationBatch;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Fuzzes the tables of the layout that the first byte chooses, with arbitrary cells. Each cell is
 * described or reported as damaged, all are read as points and listed by the index, and the guessed
 * layout exists.
 */
public final class CellsFuzz {
  private static final List<Layout> LAYOUTS =
      Stream.of(
              Stream.of(
                  Layouts.of("kairosdb", Map.of("unit", "seconds")),
                  Layouts.of("kairosdb", Map.of("unit", "legacy")),
                  Layouts.of("opentsdb", Map.of("saltWidth", "1", "metricWidth", "4"))),
              Layouts.list().stream()
                  .filter(entry ->
                      entry.parameters().stream().allMatch(each -> each.defaultValue() != null))
                  .flatMap(entry -> Layouts.all(entry.name(), Map.of()).stream()))
          .flatMap(layouts -> layouts)
          .toList();

  private CellsFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    ByteBuffer bytes = ByteBuffer.wrap(input);
    Layout layout = LAYOUTS.get((bytes.get() & 0xff) % LAYOUTS.size());
    List<Located> cells = new ArrayList<>();
    while (bytes.hasRemaining()) {
      cells.add(cell(layout, bytes));
    }
    cells.forEach(located -> describe(layout, located));
    guess(layout, cells);
    try (ScratchTables tables = new ScratchTables(layout)) {
      GivenCells given = new GivenCells(List.of(tables));
      cells.forEach(given::take);
      new PointsOfCells(tables, new Points()).read(given.replaced(0));
      compact(tables);
      tables.layout().directory().ifPresent(directory -> list(tables, directory));
      open(tables);
    }
  }

  /**
   * Reads a cell. A byte gives its table and family and whether a time follows; each text starts
   * with its length.
   */
  private static Located cell(Layout layout, ByteBuffer bytes) {
    int said = bytes.get() & 0xff;
    int table = said % layout.tables().size();
    int family = (said >> 3) % layout.tables().get(table).families().size();
    boolean timed = said >= 0x80 && bytes.remaining() >= Long.BYTES;
    long time = timed ? bytes.getLong() : 1;
    return new Located(0, table, new Cell(text(bytes), family, text(bytes), time, text(bytes)));
  }

  private static Bytes text(ByteBuffer bytes) {
    int length = bytes.hasRemaining() ? Math.min(bytes.get() & 0xff, bytes.remaining()) : 0;
    byte[] text = new byte[length];
    bytes.get(text);
    return Bytes.of(text);
  }

  private static void describe(Layout layout, Located located) {
    try (CellPrinter printer = new CellPrinter(new PrintWriter(Writer.nullWriter()))) {
      printer.print(layout, located.table(), located.cell(), OutputFormat.table);
    } catch (DamagedCellException e) {
      ensureReason(e.getMessage());
    }
  }

  private static void ensureReason(@Nullable String reason) {
    if (reason == null || reason.isEmpty()) {
      throw new AssertionError("damaged without a reason");
    }
  }

  private static void guess(Layout layout, List<Located> located) {
    List<List<Cell>> cells = new ArrayList<>();
    for (int table = 0; table < layout.tables().size(); table++) {
      int place = table;
      cells.add(located.stream().filter(each -> each.table() == place).map(Located::cell).toList());
    }
    String name = layout.identity().name();
    try {
      for (Guess guess : Inference.of(name, Map.of(), cells)) {
        if (name.equals("opentsdb") || name.equals("kairosdb")) {
          Layouts.of(name, guess.parameters());
        }
      }
    } catch (RefusedException e) {
      ensureReason(e.getMessage());
    }
  }

  private static final class Points implements PointsOfCells.Sink {
    @Override
    public void point(Point point) {
      PointLines.write(point, Writer.nullWriter());
    }

    @Override
    public void damaged(Cell cell, String reason) {
      ensureReason(reason);
    }
  }

  private static void compact(ScratchTables tables) {
    tables
        .layout()
        .compaction()
        .ifPresent(compaction ->
            tables.forEachRow(
                tables.layout().dataTable(),
                row -> {
                  try {
                    compaction.compact(row, 0, row.size(), Long.MAX_VALUE, new MutationBatch());
                  } catch (DamagedCellException e) {
                    ensureReason(e.getMessage());
                  }
                }));
  }

  /** Checks that the index lists the same rows at once and part by part, each under its key. */
  private static void list(ScratchTables tables, Directory directory) {
    for (String metric : tables.run(directory.metrics())) {
      Directory.Listing listing = tables.run(directory.rows(metric, List.of(), TimeRange.ALL));
      Set<Directory.Row> parts = new HashSet<>();
      Bytes place = null;
      do {
        Directory.Page page = tables.run(directory.page(metric, TimeRange.ALL, place, 2));
        parts.addAll(page.listing().rows());
        place = page.place();
      } while (place != null);
      if (!parts.equals(Set.copyOf(listing.rows()))) {
        throw new AssertionError("%s at once, %s in parts".formatted(listing.rows(), parts));
      }
      for (Directory.Row row : listing.rows()) {
        if (!tables.run(tables.layout().identify(row.row())).equals(row.key())) {
          throw new AssertionError("listed is " + row);
        }
      }
    }
  }

  private static void open(ScratchTables tables) {
    try {
      tables.run(tables.layout().opening());
    } catch (RefusedException | DamagedCellException e) {
      ensureReason(e.getMessage());
    }
  }
}
