package dev.varve.cli.cells;

import dev.varve.cli.CommandFailedException;
import dev.varve.cli.LayoutOptions;
import dev.varve.cli.OutputFormat;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.Step;
import dev.varve.model.BatchBuilder;
import dev.varve.server.points.JsonLines;
import dev.varve.server.points.Point;
import dev.varve.server.points.PointFormatException;
import dev.varve.server.points.PointReader;
import dev.varve.server.points.PointWriter;
import dev.varve.store.Cell;
import dev.varve.store.MutationBatch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.core.JsonGenerator;

/** {@code varve cells}: shows what a layout makes of points, and of cells. */
@Command(
    name = "cells",
    description =
        "Turns points into the cells of a layout, and cells into points; reads lines of JSON on stdin.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Example:",
      "  echo '{\"metric\":\"system\",\"tags\":{\"site\":\"gew\"},\"time\":1300000000000,\"value\":42.0}' \\",
      "    | varve cells --layout heroic",
      "",
      "A line that cannot be encoded is named on stderr; a cell that cannot be decoded is printed as",
      "{\"damaged\":\"reason\",\"cell\":{...}}. Either makes the command end with 1."
    })
public final class CellsCommand implements Callable<Integer> {
  private static final int BATCH_POINTS = 10_000;

  @Mixin private LayoutOptions layoutOptions;

  @Option(
      names = "--decode",
      description = "Read cells, of all tables in any order, and print points.")
  private boolean decode;

  @Option(
      names = "--with-cells",
      paramLabel = "FILE",
      description = "Cells that exist already, one a line, such as the UIDs of opentsdb.")
  private @Nullable Path withCells;

  @Option(
      names = "--output",
      defaultValue = "table",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat output;

  @Spec private CommandSpec spec;

  private int faults;

  @Override
  public Integer call() throws IOException {
    Layout layout = layoutOptions.layout();
    PrintWriter out = spec.commandLine().getOut();
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (ScratchTables tables = new ScratchTables(layout)) {
      Map<CellForm.Located, Long> given = withCells == null ? Map.of() : load(tables, withCells);
      if (decode) {
        decode(tables, in, out);
      } else {
        encode(tables, in, given, out);
      }
    }
    out.flush();
    return faults == 0 ? 0 : 1;
  }

  private void complain(String message) {
    faults++;
    spec.commandLine().getErr().println("varve: " + message);
  }

  /** Puts cells into the tables; maps each to its time there. */
  private Map<CellForm.Located, Long> load(ScratchTables tables, Path file) throws IOException {
    Map<CellForm.Located, Long> given = new HashMap<>();
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      forEachLine(
          lines,
          (number, line) -> {
            try {
              CellForm.Located located =
                  new CellForm(tables.layout()).cell(CellForm.parse(line), tables.stamps(1));
              String refused = put(tables, located);
              if (refused != null) {
                throw new CellForm.UnknownCellException(refused);
              }
              given.put(located, located.cell().time());
            } catch (CellForm.UnknownCellException e) {
              throw new CommandFailedException(file + " line " + number + ": " + e.getMessage());
            }
          });
    }
    return given;
  }

  private static @Nullable String put(ScratchTables tables, CellForm.Located located) {
    Cell cell = located.cell();
    MutationBatch batch = new MutationBatch();
    batch.put(cell.row(), cell.family(), cell.qualifier(), cell.time(), cell.value());
    return tables.apply(located.table(), batch);
  }

  /** Writes what the layout writes into tables that it opens for the first time. */
  private static void open(ScratchTables tables) {
    try {
      for (Step.TableCell missing : tables.run(tables.layout().opening())) {
        Cell cell = missing.cell();
        Cell stamped =
            new Cell(cell.row(), cell.family(), cell.qualifier(), tables.stamps(1), cell.value());
        String refused = put(tables, new CellForm.Located(missing.table(), stamped));
        if (refused != null) {
          throw new CommandFailedException(refused);
        }
      }
    } catch (RefusedException | DamagedCellException e) {
      throw new CommandFailedException("the cells that exist already: " + e.getMessage());
    }
  }

  private void encode(
      ScratchTables tables, BufferedReader in, Map<CellForm.Located, Long> given, PrintWriter out)
      throws IOException {
    open(tables);
    CellsOfPoints writer = new CellsOfPoints(tables, this::complain);
    BatchBuilder batch = new BatchBuilder();
    forEachLine(
        in,
        (number, line) -> {
          try {
            PointReader.read(line).addTo(batch);
          } catch (PointFormatException e) {
            complain("line " + number + ": " + e.getMessage());
          }
          if (batch.sampleCount() >= BATCH_POINTS) {
            writer.write(batch.build());
          }
        });
    writer.write(batch.build());
    CellForm form = new CellForm(tables.layout());
    CellPrinter printer = new CellPrinter(tables.layout(), out);
    for (int table = 0; table < tables.layout().tables().size(); table++) {
      int index = table;
      tables.forEachCell(
          table,
          cell -> {
            if (given.containsKey(new CellForm.Located(index, cell))) {
              return;
            }
            if (output == OutputFormat.json) {
              JsonLines.write(out, json -> form.write(index, cell, json));
            } else {
              printer.print(index, cell, output);
            }
          });
    }
    printer.close();
  }

  private void decode(ScratchTables tables, BufferedReader in, PrintWriter out) throws IOException {
    CellForm form = new CellForm(tables.layout());
    forEachLine(
        in,
        (number, line) -> {
          CellForm.Line parsed = null;
          String reason;
          try {
            parsed = CellForm.parse(line);
            reason = put(tables, form.cell(parsed, tables.stamps(1)));
          } catch (CellForm.UnknownCellException e) {
            reason = e.getMessage();
          }
          if (reason != null) {
            CellForm.Line shown = parsed;
            printDamaged(out, reason, json -> CellForm.write(shown, line, json));
          }
        });
    new PointsOfCells(
            tables,
            new PointsOfCells.Sink() {
              @Override
              public void point(Point point) {
                JsonLines.write(out, json -> PointWriter.write(point, json));
              }

              @Override
              public void damaged(int table, Cell cell, String reason) {
                printDamaged(out, reason, json -> form.write(table, cell, json));
              }
            })
        .read();
  }

  private void printDamaged(PrintWriter out, String reason, Consumer<JsonGenerator> cell) {
    faults++;
    JsonLines.write(
        out,
        json -> {
          json.writeStartObject();
          json.writeStringProperty("damaged", reason);
          json.writeName("cell");
          cell.accept(json);
          json.writeEndObject();
        });
  }

  private interface LineAction {
    void accept(long number, String line);
  }

  private static void forEachLine(BufferedReader in, LineAction action) throws IOException {
    long number = 0;
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      number++;
      if (!line.isBlank()) {
        action.accept(number, line);
      }
    }
  }
}
