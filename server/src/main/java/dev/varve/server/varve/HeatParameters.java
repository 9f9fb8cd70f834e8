package dev.varve.server.varve;

import dev.varve.engine.Dataset;
import dev.varve.engine.HeatMaps.MappedTable;
import dev.varve.engine.heat.HeatHistory;
import dev.varve.engine.heat.HeatMap;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The requested part of a heat map.
 *
 * @param table name of a table in the store
 */
public record HeatParameters(String table, HeatMeasure what, HeatMap.Request request) {
  /** The parameters. */
  public static final List<String> NAMES =
      List.of("table", "what", "from", "to", "from-row", "to-row", "resolution", "columns");

  /** Largest number of ranges of rows. */
  public static final int ROWS_MAX = 256;

  /** Largest number of columns. */
  public static final int COLUMNS_MAX = 360;

  private static final int ROWS = 64;
  private static final int COLUMNS = 120;
  private static final long HOUR = 3_600_000;
  private static final int KEY_MAX = 1024;

  /**
   * Parses parameters. Times are dates, instants, milliseconds since 1970, or lengths of time ago.
   *
   * @param texts by name; missing ones have defaults: the table with the samples, writes, the last
   *     hour, all rows
   * @throws IllegalArgumentException if a text is not valid
   */
  public static HeatParameters of(Map<String, String> texts, Dataset dataset, Instant now) {
    TreeSet<String> unknown = new TreeSet<>(texts.keySet());
    NAMES.forEach(unknown::remove);
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "unknown parameter '%s' (known: %s)"
              .formatted(unknown.first(), String.join(", ", NAMES)));
    }
    long to = time("to", texts.get("to"), now, now.toEpochMilli() + 1);
    long from = time("from", texts.get("from"), now, Math.max(0, to - HOUR));
    if (from >= to) {
      throw new IllegalArgumentException("no time lies from 'from' on and before 'to'");
    }
    if (to - from > HeatHistory.KEPT.toMillis() + HOUR) {
      throw new IllegalArgumentException(
          "'from' and 'to' are more than %d days apart, which is how long the counters are kept"
              .formatted(HeatHistory.KEPT.toDays()));
    }
    return new HeatParameters(
        table(texts.get("table"), dataset),
        HeatMeasure.of(texts.getOrDefault("what", HeatMeasure.WRITES.word())),
        new HeatMap.Request(
            from,
            to,
            row("from-row", texts.getOrDefault("from-row", "")),
            texts.containsKey("to-row") ? row("to-row", texts.getOrDefault("to-row", "")) : null,
            number("resolution", texts.get("resolution"), ROWS, ROWS_MAX),
            number("columns", texts.get("columns"), COLUMNS, COLUMNS_MAX)));
  }

  private static String table(@Nullable String named, Dataset dataset) {
    List<MappedTable> tables = dataset.usage().heatMaps().tables();
    if (tables.isEmpty()) {
      throw new IllegalArgumentException("no table of the dataset is counted");
    }
    if (named == null) {
      return tables.getFirst().name();
    }
    return tables.stream()
        .map(MappedTable::name)
        .filter(named::equals)
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "there is no table '%s' in the dataset (there are: %s)"
                    .formatted(
                        named,
                        tables.stream().map(MappedTable::name).collect(Collectors.joining(", ")))));
  }

  private static long time(String name, @Nullable String text, Instant now, long missing) {
    if (text == null) {
      return missing;
    }
    long time = QueryParameters.time(name, text, Resolution.MILLISECONDS, now);
    if (time < 0) {
      throw new IllegalArgumentException("'%s' is before 1970".formatted(name));
    }
    return time;
  }

  private static Bytes row(String name, String hex) {
    if (hex.length() > 2 * KEY_MAX) {
      throw new IllegalArgumentException("'%s' has more than %d bytes".formatted(name, KEY_MAX));
    }
    try {
      return Bytes.fromHex(hex);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'%s' is a row key in hexadecimal, of an answer".formatted(name), e);
    }
  }

  private static int number(String name, @Nullable String text, int missing, int max) {
    if (text == null) {
      return missing;
    }
    int number = text.matches("\\d{1,6}") ? Integer.parseInt(text) : 0;
    if (number < 2 || number > max) {
      throw new IllegalArgumentException(
          "'%s' is a whole number from 2 to %d, not '%s'".formatted(name, max, text));
    }
    return number;
  }
}
