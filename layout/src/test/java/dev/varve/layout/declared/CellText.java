package dev.varve.layout.declared;

import dev.varve.layout.CellDescription;
import dev.varve.layout.Layout;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import java.util.ArrayList;
import java.util.List;

/**
 * Cells as the pages show them: a line a part, with its bytes, what it carries and what it says.
 *
 * <pre>
 * row        6370750001  metric  cpu
 * family     d           family  d
 * </pre>
 */
final class CellText {
  private static final int TOKEN = 11;

  private CellText() {}

  /** A block of cells, an empty line between two. */
  static List<String> write(Layout layout, List<Cell> cells) {
    List<List<CellDescription.Part>> described =
        cells.stream().map(cell -> layout.describe(0, cell).parts()).toList();
    int tokens = 0;
    int labels = 0;
    for (int i = 0; i < cells.size(); i++) {
      for (CellDescription.Part part : described.get(i)) {
        tokens = Math.max(tokens, token(cells.get(i), part).length());
        labels = Math.max(labels, part.label().length());
      }
    }
    String format = "%-10s %-" + tokens + "s  %-" + labels + "s  %s";
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < cells.size(); i++) {
      if (i > 0) {
        lines.add("");
      }
      String before = "";
      for (CellDescription.Part part : described.get(i)) {
        String coordinate = part.coordinate().equals(before) ? "" : part.coordinate();
        before = part.coordinate();
        lines.add(
            format
                .formatted(coordinate, token(cells.get(i), part), part.label(), part.text())
                .stripTrailing());
      }
    }
    return lines;
  }

  private static String token(Cell cell, CellDescription.Part part) {
    String token =
        switch (part.coordinate()) {
          case "row" -> cell.row().slice(part.from(), part.to()).hex();
          case "qualifier" -> cell.qualifier().slice(part.from(), part.to()).hex();
          case "value" -> cell.value().slice(part.from(), part.to()).hex();
          case "time" -> Long.toString(cell.time());
          default -> part.text();
        };
    return token.isEmpty() ? "-" : token;
  }

  static List<Cell> read(Layout layout, List<String> lines) {
    List<Cell> cells = new ArrayList<>();
    List<String> cell = new ArrayList<>();
    for (String line : lines) {
      if (line.isBlank()) {
        cells.add(cell(layout, cell));
        cell.clear();
      } else {
        cell.add(line);
      }
    }
    cells.add(cell(layout, cell));
    return cells;
  }

  private static Cell cell(Layout layout, List<String> lines) {
    StringBuilder row = new StringBuilder();
    StringBuilder qualifier = new StringBuilder();
    StringBuilder value = new StringBuilder();
    long time = 0;
    int family = -1;
    String coordinate = "";
    for (String line : lines) {
      String named = line.substring(0, TOKEN).strip();
      coordinate = named.isEmpty() ? coordinate : named;
      String token = line.substring(TOKEN).split(" ", 2)[0];
      switch (coordinate) {
        case "row" -> row.append(token);
        case "family" -> family = layout.tables().getFirst().familyIndex(token);
        case "qualifier" -> qualifier.append(token);
        case "time" -> time = Long.parseLong(token);
        case "value" -> value.append(token);
        default -> throw new AssertionError(line);
      }
    }
    return new Cell(hex(row), family, hex(qualifier), time, hex(value));
  }

  private static Bytes hex(StringBuilder digits) {
    return Bytes.fromHex(digits.toString().replace("-", ""));
  }
}
