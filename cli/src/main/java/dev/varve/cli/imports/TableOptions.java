package dev.varve.cli.imports;

import dev.varve.formats.text.CsvLines;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The meaning of the columns of a table in a file. */
final class TableOptions {
  @Option(names = "--metric", description = "The metric of all lines.")
  @Nullable String metric;

  @Option(
      names = "--metric-column",
      paramLabel = "COLUMN",
      description = "The column that holds the metric.")
  @Nullable String metricColumn;

  @Option(
      names = "--time-column",
      paramLabel = "COLUMN",
      defaultValue = "time",
      description = "The column of the time (default: ${DEFAULT-VALUE}).")
  String timeColumn = "time";

  @Option(
      names = "--time-unit",
      defaultValue = "ms",
      description = "Unit of integers in it: s, ms, us or ns (default: ${DEFAULT-VALUE}).")
  String timeUnit = "ms";

  @Option(
      names = "--time-pattern",
      description =
          "How it is written where it is neither an integer nor ISO 8601, such as 'MMM d yyyy'; read as UTC.")
  @Nullable String timePattern;

  @Option(
      names = "--tag-columns",
      split = ",",
      paramLabel = "COLUMN",
      description = "Columns that are tags.")
  List<String> tagColumns = List.of();

  @Option(names = "--tag", paramLabel = "NAME=VALUE", description = "A tag of all lines.")
  Map<String, String> tags = new LinkedHashMap<>();

  @Option(
      names = "--field-columns",
      split = ",",
      paramLabel = "COLUMN[:KIND]",
      description =
          "Columns that are fields, as double, long or string (default: every other column, as double).")
  List<String> fields = List.of();

  CsvLines.Columns columns() {
    return new CsvLines.Columns(
        metric,
        metricColumn,
        timeColumn,
        Resolution.ofSymbol(timeUnit),
        pattern().orElse(null),
        tagColumns,
        tags,
        kinds());
  }

  /** Returns what the options are, for one line of text. */
  String description() {
    return "metric %s of %s, time %s in %s as %s, tags %s and %s, fields %s"
        .formatted(
            metric, metricColumn, timeColumn, timeUnit, timePattern, tagColumns, tags, fields);
  }

  Optional<DateTimeFormatter> pattern() {
    return Optional.ofNullable(timePattern)
        .map(text -> DateTimeFormatter.ofPattern(text, Locale.ROOT));
  }

  Map<String, Kind> kinds() {
    Map<String, Kind> kinds = new LinkedHashMap<>();
    for (String field : fields) {
      int colon = field.lastIndexOf(':');
      String column = colon < 0 ? field : field.substring(0, colon);
      if (kinds.put(column, kind(colon < 0 ? "double" : field.substring(colon + 1))) != null) {
        throw new IllegalArgumentException("column '" + column + "' comes twice");
      }
    }
    return kinds;
  }

  private static Kind kind(String name) {
    return switch (name) {
      case "double" -> Kind.DOUBLE;
      case "long" -> Kind.INT64;
      case "string" -> Kind.STRING;
      default ->
          throw new IllegalArgumentException(
              "'" + name + "' is no kind of field (try double, long or string)");
    };
  }
}
