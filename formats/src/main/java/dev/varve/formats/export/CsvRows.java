package dev.varve.formats.export;

import dev.varve.formats.json.Json;
import dev.varve.formats.number.NanText;
import dev.varve.formats.text.BadLineException;
import dev.varve.formats.text.LineFormat;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Reads exported CSV, line by line. The first line names the unit of the times. */
public final class CsvRows implements LineFormat {
  static final String STALE = "stale";

  /** The last line of an export without some samples; a line of a sample has commas. */
  static final String LEFT_OUT =
      "# %d samples are left out: the name of their metric or field has a line break";

  private static final Pattern LEFT_OUT_LINE =
      Pattern.compile(LEFT_OUT.replace("%d", "(\\d{1,18})"));

  private static final String HEADER = "metric,tags,resource,field,kind,time_";
  private static final int COLUMNS = 7;

  /** The sample of a line. Its time is in the resolution of the dataset. */
  public record Row(GroupKey key, String field, long time, Value value) {}

  private final Resolution target;
  private @Nullable Resolution unit;
  private long leftOut;

  /** The text of the last series, with the parsed series. */
  private String lastSeries = "";

  private GroupKey lastKey = GroupKey.of("", Tags.EMPTY);

  /**
   * Creates a reader.
   *
   * @param target the resolution of the dataset
   */
  public CsvRows(Resolution target) {
    this.target = target;
  }

  static String header(Resolution resolution) {
    return HEADER + resolution.symbol() + ",value";
  }

  @Override
  public void read(byte[] bytes, int from, int to, BatchBuilder into) {
    Row row = read(new String(bytes, from, to - from, StandardCharsets.UTF_8));
    if (row != null) {
      into.add(row.key(), row.field(), row.time(), row.value());
    }
  }

  /**
   * Reads a line; null for a blank one, for the first, and for the last one of {@link #leftOut}.
   *
   * @throws BadLineException if it cannot be read
   */
  public @Nullable Row read(String text) {
    String line = text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    if (line.isBlank()) {
      return null;
    }
    Resolution known = unit;
    if (known == null) {
      unit = unit(line);
      return null;
    }
    Matcher end = LEFT_OUT_LINE.matcher(line);
    if (end.matches()) {
      leftOut += Long.parseLong(end.group(1));
      return null;
    }
    List<String> cells = cells(line);
    if (cells.size() != COLUMNS) {
      throw new BadLineException(
          "the line has %d columns, an export has %d".formatted(cells.size(), COLUMNS));
    }
    try {
      return new Row(
          key(cells),
          cells.get(3),
          known.convert(Long.parseLong(cells.get(5)), target),
          value(cells.get(4), cells.get(6)));
    } catch (NumberFormatException e) {
      throw new BadLineException("not a number: " + e.getMessage());
    } catch (ArithmeticException e) {
      throw new BadLineException("time '" + cells.get(5) + "' is too large for " + target.symbol());
    } catch (JacksonException e) {
      throw new BadLineException("tags, resource or text are not JSON: " + e.getOriginalMessage());
    }
  }

  /** Returns the number of samples that the export lacks by its own account. */
  public long leftOut() {
    return leftOut;
  }

  private static Resolution unit(String header) {
    String end = ",value";
    if (header.startsWith(HEADER) && header.endsWith(end)) {
      return Resolution.ofSymbol(header.substring(HEADER.length(), header.length() - end.length()));
    }
    throw new IllegalArgumentException(
        "the first line is not that of an export, such as '%s': other csv needs either --metric or --metric-column"
            .formatted(header(Resolution.MILLISECONDS)));
  }

  private GroupKey key(List<String> cells) {
    String series = String.join("\n", cells.subList(0, 3));
    if (!series.equals(lastSeries)) {
      if (cells.getFirst().isEmpty()) {
        throw new BadLineException("the metric is empty");
      }
      lastKey = new GroupKey(cells.getFirst(), tags(cells.get(1)), tags(cells.get(2)));
      lastSeries = series;
    }
    return lastKey;
  }

  private static Tags tags(String text) {
    if (text.isEmpty()) {
      return Tags.EMPTY;
    }
    Map<String, String> tags = new TreeMap<>();
    try (JsonParser json = Json.parser(text)) {
      json.nextToken();
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = json.currentName();
        json.nextToken();
        tags.put(name, json.getString());
      }
    }
    return Tags.of(tags);
  }

  private static Value value(String kind, String text) {
    return switch (kind) {
      case "double" -> new Value.Real(real(text));
      case "int64" -> new Value.Int64(Long.parseLong(text));
      case "string" -> {
        try (JsonParser json = Json.parser(text)) {
          json.nextToken();
          yield new Value.Text(json.getString());
        }
      }
      default -> throw new BadLineException("'" + kind + "' is no kind: double, int64 or string");
    };
  }

  private static double real(String text) {
    if (text.equals(STALE)) {
      return StaleMarker.VALUE;
    }
    Double nan = NanText.withBits(text);
    return nan == null ? Double.parseDouble(text) : nan;
  }

  private static List<String> cells(String line) {
    List<String> cells = new ArrayList<>(COLUMNS);
    StringBuilder cell = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"' && quoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
        cell.append('"');
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.add(cell.toString());
        cell.setLength(0);
      } else {
        cell.append(c);
      }
    }
    if (quoted) {
      throw new BadLineException("a quote is not closed");
    }
    cells.add(cell.toString());
    return cells;
  }
}
