package dev.varve.cli.cells;

import dev.varve.layout.Layout;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.FamilySpec;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * A cell as a line of JSON: {@code table}, {@code family}, and {@code row}, {@code qualifier},
 * {@code value} in hexadecimal; {@code time} where it is the layout's: in families whose times are
 * data, or that keep more than one version.
 */
final class CellForm {
  private static final JsonFactory JSON = new JsonFactory();

  private final Layout layout;

  CellForm(Layout layout) {
    this.layout = layout;
  }

  /** A cell that names its table. */
  record Located(int table, Cell cell) {}

  /** A line that is an object, as far as it could be read. */
  record Line(Map<String, Object> members) {}

  /** What is wrong with a cell, before a layout has seen it. */
  static final class UnknownCellException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnknownCellException(String message) {
      super(message);
    }
  }

  /**
   * Reads the members of a line.
   *
   * @throws UnknownCellException if the line is not one flat JSON object
   */
  static Line parse(String text) {
    Map<String, Object> members = new LinkedHashMap<>();
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new UnknownCellException("a cell is an object {\"table\":...}");
      }
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        switch (json.nextToken()) {
          case VALUE_STRING -> members.put(name, json.getString());
          case VALUE_NUMBER_INT -> members.put(name, json.getLongValue());
          default ->
              throw new UnknownCellException("'" + name + "' is neither a text nor an integer");
        }
      }
      if (json.nextToken() != null) {
        throw new UnknownCellException("something follows the object; a line holds one cell");
      }
    } catch (JacksonException e) {
      throw new UnknownCellException("not JSON: " + e.getOriginalMessage());
    }
    return new Line(members);
  }

  /**
   * Makes a cell of a line.
   *
   * @param ordinal stands in for the time of cells that have none: a later line is a later cell
   * @throws UnknownCellException if the layout has no such table or family, or a member is missing
   *     or malformed
   */
  Located cell(Line line, long ordinal) {
    String tableName = text(line, "table");
    int table = tableIndex(tableName);
    TableSpec spec = layout.tables().get(table);
    String familyName = text(line, "family");
    int family = spec.familyIndex(familyName);
    if (family < 0) {
      throw new UnknownCellException(
          "table '"
              + tableName
              + "' has no family '"
              + familyName
              + "' (it has "
              + String.join(", ", spec.families().stream().map(FamilySpec::name).toList())
              + ")");
    }
    Object time = line.members().get("time");
    if (time == null && hasTime(spec.families().get(family))) {
      throw new UnknownCellException(
          "member 'time' is missing, and family '" + familyName + "' needs it");
    }
    if (time != null && !(time instanceof Long)) {
      throw new UnknownCellException("member 'time' is an integer");
    }
    Cell cell =
        new Cell(
            hex(line, "row"),
            family,
            hex(line, "qualifier"),
            time == null ? ordinal : (Long) time,
            hex(line, "value"));
    return new Located(table, cell);
  }

  private int tableIndex(String name) {
    for (int i = 0; i < layout.tables().size(); i++) {
      if (layout.tables().get(i).name().equals(name)) {
        return i;
      }
    }
    throw new UnknownCellException(
        "layout '"
            + layout.identity().name()
            + "' has no table '"
            + name
            + "' (it has "
            + String.join(", ", layout.tables().stream().map(TableSpec::name).toList())
            + ")");
  }

  private static String text(Line line, String name) {
    if (line.members().get(name) instanceof String text) {
      return text;
    }
    throw new UnknownCellException("member '" + name + "' is missing or no text");
  }

  private static Bytes hex(Line line, String name) {
    try {
      return Bytes.fromHex(text(line, name));
    } catch (IllegalArgumentException e) {
      throw new UnknownCellException(
          "member '" + name + "' is not an even number of hexadecimal digits");
    }
  }

  private static boolean hasTime(FamilySpec family) {
    return family.time() == TimeUse.DATA || family.maxVersions() > 1;
  }

  void write(int table, Cell cell, JsonGenerator json) {
    TableSpec spec = layout.tables().get(table);
    FamilySpec family = spec.families().get(cell.family());
    json.writeStartObject();
    json.writeStringProperty("table", spec.name());
    json.writeStringProperty("family", family.name());
    json.writeStringProperty("row", cell.row().hex());
    json.writeStringProperty("qualifier", cell.qualifier().hex());
    json.writeStringProperty("value", cell.value().hex());
    if (hasTime(family)) {
      json.writeNumberProperty("time", cell.time());
    }
    json.writeEndObject();
  }

  /** Writes a line that is no cell, as it came. */
  static void write(@Nullable Line line, String text, JsonGenerator json) {
    if (line == null) {
      json.writeString(text);
      return;
    }
    json.writeStartObject();
    line.members()
        .forEach((name, value) -> {
          json.writeName(name);
          if (value instanceof Long number) {
            json.writeNumber(number);
          } else {
            json.writeString((String) value);
          }
        });
    json.writeEndObject();
  }
}
