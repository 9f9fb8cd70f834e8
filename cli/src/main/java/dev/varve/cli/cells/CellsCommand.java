package dev.varve.cli.cells;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.LayoutOptions;
import dev.varve.cli.io.OutputFormat;
import dev.varve.engine.cells.BlocksOfPoints;
import dev.varve.engine.cells.CellsOfPoints;
import dev.varve.engine.cells.ScratchTables;
import dev.varve.formats.json.JsonLines;
import dev.varve.formats.points.Point;
import dev.varve.formats.points.PointFormatException;
import dev.varve.formats.points.PointLines;
import dev.varve.formats.points.PointReader;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.store.Cell;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.core.JsonGenerator;

/** {@code varve cells}: encodes points into the cells of a layout and decodes cells into points. */
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
    PrintWriter out = spec.commandLine().getOut();
    BlockLayout blocks = layoutOptions.blocks();
    if (blocks != null) {
      ofBlocks(blocks, out);
      out.flush();
      return faults == 0 ? 0 : 1;
    }
    List<Layout> layouts = layoutOptions.layouts();
    List<ScratchTables> tables = layouts.stream().map(ScratchTables::new).toList();
    try {
      CellForm form = new CellForm(layouts);
      Set<CellForm.Located> given = withCells == null ? Set.of() : load(tables, form, withCells);
      if (decode) {
        decode(tables, form, given, out);
      } else {
        encode(tables, form, given, out);
      }
    } finally {
      tables.forEach(ScratchTables::close);
    }
    out.flush();
    return faults == 0 ? 0 : 1;
  }

  private void complain(String message) {
    faults++;
    spec.commandLine().getErr().println("varve: " + oneLine(message));
  }

  /** Escapes line breaks and control characters in names. */
  private static String oneLine(String message) {
    StringBuilder line = new StringBuilder(message.length());
    for (int i = 0; i < message.length(); i++) {
      char c = message.charAt(i);
      line.append(Character.isISOControl(c) ? "\\u%04x".formatted((int) c) : c);
    }
    return line.toString();
  }

  /** Puts cells into the tables. */
  private static Set<CellForm.Located> load(List<ScratchTables> tables, CellForm form, Path file)
      throws IOException {
    Set<CellForm.Located> given = new LinkedHashSet<>();
    try (InputStream in = Files.newInputStream(file)) {
      TextLines.forEach(
          in,
          (number, line, fault) -> {
            try {
              CellForm.Located located = form.cell(CellForm.parse(line, fault));
              String refused = tables.get(located.layout()).put(located.table(), located.cell());
              if (refused != null) {
                throw new CellForm.UnknownCellException(refused);
              }
              given.add(located);
            } catch (CellForm.UnknownCellException e) {
              throw new CommandFailedException(file + " line " + number + ": " + e.getMessage());
            }
          });
    }
    return given;
  }

  private static void open(ScratchTables tables) {
    try {
      tables.open();
    } catch (RefusedException | DamagedCellException e) {
      throw new CommandFailedException("the cells that exist already: " + e.getMessage());
    }
  }

  private void encode(
      List<ScratchTables> tables, CellForm form, Set<CellForm.Located> given, PrintWriter out)
      throws IOException {
    tables.forEach(CellsCommand::open);
    List<CellsOfPoints> writers =
        tables.stream().map(each -> new CellsOfPoints(each, this::complain)).toList();
    readPoints(batch -> writers.forEach(writer -> writer.write(batch)));
    writers.forEach(CellsOfPoints::close);
    for (int layout = 0; layout < tables.size(); layout++) {
      print(layout, tables.get(layout), form, given, out);
    }
  }

  /** Reads lines of points, some thousands at a time. */
  private void readPoints(Consumer<Batch> into) throws IOException {
    BatchBuilder batch = new BatchBuilder();
    TextLines.forEach(
        System.in,
        (number, line, fault) -> {
          try {
            if (fault != null) {
              throw new PointFormatException(fault);
            }
            PointReader.read(line).addTo(batch);
          } catch (PointFormatException e) {
            complain("line " + number + ": " + e.getMessage());
          }
          if (batch.sampleCount() >= BATCH_POINTS) {
            into.accept(batch.build());
          }
        });
    into.accept(batch.build());
  }

  private void ofBlocks(BlockLayout layout, PrintWriter out) throws IOException {
    if (withCells != null) {
      throw new CommandFailedException("layout 'blocks' needs no cells that exist already");
    }
    CellsOfBlocks blocks = new CellsOfBlocks(layout);
    if (!decode) {
      BlocksOfPoints points = new BlocksOfPoints(layout);
      readPoints(batch -> points.add(batch, this::complain));
      blocks.print(points, output, out);
      return;
    }
    CellForm form = new CellForm(List.of(layout));
    readCells(form, blocks::take, out);
    blocks.decode(
        point -> PointLines.write(point, out),
        (cell, reason) -> printDamaged(out, reason, json -> form.write(cell, json)));
  }

  private void print(
      int layout,
      ScratchTables tables,
      CellForm form,
      Set<CellForm.Located> given,
      PrintWriter out) {
    try (CellPrinter printer = new CellPrinter(out)) {
      for (int table = 0; table < tables.layout().tables().size(); table++) {
        int index = table;
        tables.forEachCell(
            table,
            cell -> {
              CellForm.Located located = new CellForm.Located(layout, index, cell);
              if (given.contains(located)) {
                return;
              }
              if (output == OutputFormat.json) {
                JsonLines.write(out, json -> form.write(located, json));
              } else {
                printer.print(tables.layout(), index, cell, output);
              }
            });
      }
    }
  }

  private void decode(
      List<ScratchTables> tables, CellForm form, Set<CellForm.Located> given, PrintWriter out)
      throws IOException {
    GivenCells cells = new GivenCells(tables);
    given.forEach(cells::take);
    readCells(form, cells::take, out);
    OnceEach once = new OnceEach(tables.size() > 1);
    for (int layout = 0; layout < tables.size(); layout++) {
      int place = layout;
      int data = tables.get(layout).layout().dataTable();
      new PointsOfCells(
              tables.get(layout),
              new PointsOfCells.Sink() {
                @Override
                public void point(Point point) {
                  once.of(point).ifPresent(fresh -> PointLines.write(fresh, out));
                }

                @Override
                public void damaged(Cell cell, String reason) {
                  CellForm.Located located = new CellForm.Located(place, data, cell);
                  printDamaged(out, reason, json -> form.write(located, json));
                }
              })
          .read(cells.replaced(layout));
      once.nextLayout();
    }
  }

  /** Passes on cells; whatever is refused, by returning a reason, is printed as damaged. */
  private void readCells(
      CellForm form, Function<CellForm.Located, @Nullable String> take, PrintWriter out)
      throws IOException {
    TextLines.forEach(
        System.in,
        (number, line, fault) -> {
          String reason;
          try {
            reason = take.apply(form.cell(CellForm.parse(line, fault)));
          } catch (CellForm.UnknownCellException e) {
            reason = e.getMessage();
          }
          if (reason != null) {
            printDamaged(out, reason, json -> CellForm.write(line, json));
          }
        });
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
}
