package dev.varve.cli.cells;

import dev.varve.formats.json.Json;
import dev.varve.layout.StorageLayout;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.FamilySpec;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * A cell as a line of JSON: {@code table}, {@code family}, and {@code row}, {@code qualifier} and
 * {@code value} in hexadecimal. {@code time} is present in families whose times are data or that
 * keep more than one version.
 */
final class CellForm {

  private static final Set<String> TEXTS = Set.of("table", "family", "row", "qualifier", "value");
  private static final String TIME = "time";

  private final List<? extends StorageLayout> layouts;

  /**
   * Creates the form for the cells of some layouts.
   *
   * @param layouts layouts with distinct names of tables
   */
  CellForm(List<? extends StorageLayout> layouts) {
    this.layouts = layouts;
  }

  /**
   * A cell with its table.
   *
   * @param layout index of the layout
   * @param table index of the table in the layout
   */
  record Located(int layout, int table, Cell cell) {}

  private record Place(int layout, int table) {}

  /** The members of a line that define a cell. */
  record Line(Map<String, Object> members) {}

  /** Thrown if a line is not a cell of a known table. */
  static final class UnknownCellException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnknownCellException(String message) {
      super(message);
    }
  }

  /**
   * Reads the members of a line. Unknown members are ignored, and null counts as absent.
   *
   * @param fault an error in the text, from {@link TextLines}; null if there is none
   * @throws UnknownCellException if there is an error in the text, or the line is not one JSON
   *     object
   */
  static Line parse(String text, @Nullable String fault) {
    if (fault != null) {
      throw new UnknownCellException(fault);
    }
    Map<String, Object> members = new LinkedHashMap<>();
    try (JsonParser json = Json.parser(text)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new UnknownCellException("a cell is an object {\"table\":...}");
      }
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        JsonToken token = json.nextToken();
        if (token == JsonToken.VALUE_STRING && TEXTS.contains(name)) {
          members.put(name, json.getString());
        } else if (token == JsonToken.VALUE_NUMBER_INT && name.equals(TIME)) {
          members.put(name, json.getLongValue());
        } else if (token != JsonToken.VALUE_NULL && (TEXTS.contains(name) || name.equals(TIME))) {
          throw new UnknownCellException(
              "member '" + name + "' is " + (name.equals(TIME) ? "no integer" : "no text"));
        } else {
          json.skipChildren();
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
   * Creates a cell from a line.
   *
   * @return the cell, with time 0 if the line has no time and needs none
   * @throws UnknownCellException if no layout has such a table or family, or a member is missing or
   *     malformed
   */
  Located cell(Line line) {
    String tableName = text(line, "table");
    Place place = place(tableName);
    TableSpec spec = spec(place.layout, place.table);
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
    Cell cell =
        new Cell(
            hex(line, "row"),
            family,
            hex(line, "qualifier"),
            time == null ? 0 : (Long) time,
            hex(line, "value"));
    return new Located(place.layout, place.table, cell);
  }

  private TableSpec spec(int layout, int table) {
    return layouts.get(layout).tables().get(table);
  }

  private Place place(String name) {
    for (int layout = 0; layout < layouts.size(); layout++) {
      for (int table = 0; table < layouts.get(layout).tables().size(); table++) {
        if (spec(layout, table).name().equals(name)) {
          return new Place(layout, table);
        }
      }
    }
    throw new UnknownCellException(
        "layout '"
            + layouts.getFirst().identity().name()
            + "' has no table '"
            + name
            + "' (it has "
            + layouts.stream()
                .flatMap(layout -> layout.tables().stream())
                .map(TableSpec::name)
                .collect(Collectors.joining(", "))
            + ")");
  }

  private static String text(Line line, String name) {
    if (line.members().get(name) instanceof String text) {
      return text;
    }
    throw new UnknownCellException("member '" + name + "' is missing");
  }

  private static Bytes hex(Line line, String name) {
    try {
      return Bytes.fromHex(text(line, name));
    } catch (IllegalArgumentException e) {
      throw new UnknownCellException(
          "member '" + name + "' is not an even number of hexadecimal digits");
    }
  }

  /** Returns whether cells of a family include their time. */
  static boolean hasTime(FamilySpec family) {
    return family.time() == TimeUse.DATA || family.maxVersions() > 1;
  }

  void write(Located located, JsonGenerator json) {
    TableSpec spec = spec(located.layout, located.table);
    Cell cell = located.cell;
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

  /** Writes a line that is not a cell: a JSON object unchanged, anything else as a string. */
  static void write(String text, JsonGenerator json) {
    if (isObject(text)) {
      json.writeRawValue(text.strip());
    } else {
      json.writeString(text);
    }
  }

  private static boolean isObject(String text) {
    try (JsonParser json = Json.parser(text)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        return false;
      }
      json.skipChildren();
      return json.currentToken() == JsonToken.END_OBJECT && json.nextToken() == null;
    } catch (JacksonException e) {
      return false;
    }
  }
}
