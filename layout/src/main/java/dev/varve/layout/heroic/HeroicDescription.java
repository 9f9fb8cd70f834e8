package dev.varve.layout.heroic;

import dev.varve.layout.CellDescription;
import dev.varve.layout.CellDescription.Part;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.RowShape;
import dev.varve.model.Bytes;
import dev.varve.model.Tags;
import dev.varve.store.Cell;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * Human-readable breakdowns of cells in the notation of Heroic's documentation: key, tags, base and
 * the values of the resource identifiers, separated by commas, then the offset as a number. No
 * table ever contained that text.
 */
final class HeroicDescription {
  private HeroicDescription() {}

  /** Describes a cell that has already been checked. */
  static CellDescription of(RowShape rows, Cell cell, long base, long offset) {
    List<Part> parts = new ArrayList<>();
    for (Part part : rows.describe(cell.row())) {
      if (part.from() < part.to()) {
        parts.add(part);
      }
    }
    parts.add(
        new Part(
            "qualifier",
            "offset",
            offset + " (" + Instant.ofEpochMilli(base + offset) + ")",
            0,
            cell.qualifier().length()));
    Part value = value(cell);
    if (value.to() > 0) {
      parts.add(value);
    }
    return new CellDescription(
        "%s %d %s".formatted(row(rows, cell.row()), offset, value.text()), parts);
  }

  private static String row(RowShape rows, Bytes row) {
    byte[] bytes = row.toArray();
    KeyOutput out = new KeyOutput();
    rows.decode(bytes, 0, bytes.length, out);
    StringJoiner text = new StringJoiner(",");
    text.add(out.key().metric());
    out.key().tags().forEach((name, value) -> text.add(name + "=" + value));
    text.add(Long.toString(out.time()));
    Tags resource = out.key().resource();
    resource.forEach((name, value) -> text.add(value));
    return text.toString();
  }

  private static Part value(Cell cell) {
    Bytes value = cell.value();
    return switch (cell.family()) {
      case HeroicLayout.POINTS ->
          part("double", Double.toString(ByteBuffer.wrap(value.toArray()).getDouble()), value);
      case HeroicLayout.DISTRIBUTIONS -> part("distribution", value.hex(), value);
      default -> part("event", value.toUtf8(), value);
    };
  }

  private static Part part(String label, String text, Bytes value) {
    return new Part("value", label, text, 0, value.length());
  }
}
