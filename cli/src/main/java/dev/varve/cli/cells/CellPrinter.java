package dev.varve.cli.cells;

import dev.varve.cli.io.OutputFormat;
import dev.varve.cli.io.Records;
import dev.varve.layout.CellDescription;
import dev.varve.layout.Layout;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.TableSpec;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** Prints cells for people: each in words of its layout, then its bytes, part by part. */
final class CellPrinter implements AutoCloseable {
  private final PrintWriter out;
  private @Nullable Records csv;

  CellPrinter(PrintWriter out) {
    this.out = out;
  }

  /** Prints a cell of a table of a layout. */
  void print(Layout layout, int table, Cell cell, OutputFormat format) {
    print(layout.tables().get(table), cell, layout.describe(table, cell), format);
  }

  void print(TableSpec spec, Cell cell, CellDescription description, OutputFormat format) {
    String family = spec.families().get(cell.family()).name();
    if (format == OutputFormat.csv) {
      if (csv == null) {
        csv = new Records(format, out, "table", "family", "row", "qualifier", "value", "summary");
      }
      csv.add(
          spec.name(),
          family,
          cell.row().hex(),
          cell.qualifier().hex(),
          cell.value().hex(),
          description.summary());
      return;
    }
    out.println(spec.name() + "/" + family + "  " + description.summary());
    for (CellDescription.Part part : description.parts()) {
      out.printf(
          "  %-9s  %-22s %-30s %s%n",
          part.coordinate(), part.label(), part.text(), hex(cell, part));
    }
  }

  private static String hex(Cell cell, CellDescription.Part part) {
    Bytes bytes =
        switch (part.coordinate()) {
          case "row" -> cell.row();
          case "qualifier" -> cell.qualifier();
          case "value" -> cell.value();
          default -> Bytes.EMPTY;
        };
    return bytes.isEmpty() ? "" : bytes.slice(part.from(), part.to()).hex();
  }

  @Override
  public void close() {
    if (csv != null) {
      csv.close();
    }
  }
}
