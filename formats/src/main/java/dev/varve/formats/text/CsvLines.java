package dev.varve.formats.text;

import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Tags;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * CSV (RFC 4180, a record a line) whose first line names the columns. One column is the time,
 * others are tags, the rest fields. An empty value is not a sample. Blanks around numbers and times
 * are ignored.
 */
public final class CsvLines implements LineFormat {
  private static final String BYTE_ORDER_MARK = "\uFEFF";
  private static final Pattern INTEGER = Pattern.compile("[+-]?\\d+");
  private static final Pattern WITH_OFFSET = Pattern.compile(".*(Z|[+-]\\d\\d:\\d\\d)");

  /**
   * The meaning of the columns.
   *
   * @param metric the metric of all lines; null if {@code metricColumn} holds it
   * @param metricColumn the column of the metric; null for none
   * @param timeColumn the column of the time
   * @param timeUnit the unit of integers in it
   * @param timePattern a {@link DateTimeFormatter} pattern for it, read as UTC; null for integers
   *     and ISO 8601 dates and instants
   * @param tagColumns columns that are tags
   * @param tags further tags of every line
   * @param fields columns that are fields, with their kinds; empty for every column left, all
   *     doubles
   */
  public record Columns(
      @Nullable String metric,
      @Nullable String metricColumn,
      String timeColumn,
      Resolution timeUnit,
      @Nullable DateTimeFormatter timePattern,
      List<String> tagColumns,
      Map<String, String> tags,
      Map<String, Kind> fields) {
    public Columns {
      tagColumns = List.copyOf(tagColumns);
      tags = Map.copyOf(tags);
      fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }
  }

  /**
   * A column that is a field.
   *
   * @param place its name in messages
   */
  private record FieldColumn(int index, String name, Kind kind, String place) {
    private static FieldColumn of(int index, String name, Kind kind) {
      return new FieldColumn(index, name, kind, "column '" + Scan.shown(name) + "':");
    }
  }

  private final Columns columns;
  private final Resolution target;
  private final List<String> cells = new ArrayList<>();
  private final List<FieldColumn> fields = new ArrayList<>();
  private int[] tagIndexes = {};
  private int timeIndex = -1;
  private int metricIndex = -1;
  private int width = -1;

  /** Creates a reader for a dataset of a resolution. */
  public CsvLines(Columns columns, Resolution target) {
    this.columns = columns;
    this.target = target;
  }

  /**
   * Reads a line. The first line that is not empty names the columns.
   *
   * @throws BadLineException if a later line does not fit them
   * @throws IllegalArgumentException if a configured column is missing, so that no line can be read
   */
  @Override
  public void read(byte[] bytes, int from, int to, BatchBuilder into) {
    int end = to > from && bytes[to - 1] == '\r' ? to - 1 : to;
    if (from == end) {
      return;
    }
    if (width < 0) {
      readHeader(bytes, from, end);
      return;
    }
    split(Scan.text(bytes, from, end));
    if (cells.size() != width) {
      throw new BadLineException(
          "the line has " + cells.size() + " columns, the first one has " + width);
    }
    add(into);
  }

  private void readHeader(byte[] bytes, int from, int to) {
    try {
      String line = Scan.text(bytes, from, to);
      split(line.startsWith(BYTE_ORDER_MARK) ? line.substring(1) : line);
    } catch (BadLineException e) {
      throw new IllegalArgumentException("the line that names the columns: " + e.getMessage(), e);
    }
    List<String> names = List.copyOf(cells);
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw new IllegalArgumentException("there are two columns '" + Scan.shown(name) + "'");
      }
    }
    timeIndex = index(names, columns.timeColumn());
    if (columns.metricColumn() != null) {
      metricIndex = index(names, columns.metricColumn());
    }
    tagIndexes = columns.tagColumns().stream().mapToInt(name -> index(names, name)).toArray();
    readFields(names);
    width = names.size();
  }

  private void readFields(List<String> names) {
    columns
        .fields()
        .forEach((name, kind) -> fields.add(FieldColumn.of(index(names, name), name, kind)));
    if (columns.fields().isEmpty()) {
      for (int i = 0; i < names.size(); i++) {
        if (i != timeIndex && i != metricIndex && !columns.tagColumns().contains(names.get(i))) {
          fields.add(FieldColumn.of(i, names.get(i), Kind.DOUBLE));
        }
      }
    }
    if (fields.isEmpty()) {
      throw new IllegalArgumentException(
          "no column is left for a value (the columns are "
              + Scan.shown(String.join(", ", names))
              + ")");
    }
  }

  private static int index(List<String> names, String name) {
    int index = names.indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException(
          "there is no column '"
              + name
              + "' (the columns are "
              + Scan.shown(String.join(", ", names))
              + ")");
    }
    return index;
  }

  private void add(BatchBuilder into) {
    String metric = metricIndex >= 0 ? cells.get(metricIndex) : columns.metric();
    if (metric == null || metric.isEmpty()) {
      throw new BadLineException("the metric is empty");
    }
    Map<String, String> tags = new TreeMap<>(columns.tags());
    for (int i = 0; i < tagIndexes.length; i++) {
      String value = cells.get(tagIndexes[i]);
      if (!value.isEmpty()) {
        tags.put(columns.tagColumns().get(i), value);
      }
    }
    if (fields.stream().allMatch(field -> cells.get(field.index()).isEmpty())) {
      throw new BadLineException("the line has no value: all columns of fields are empty");
    }
    long time = time(cells.get(timeIndex).strip());
    double[] numbers = new double[fields.size()];
    long[] integers = new long[fields.size()];
    for (int i = 0; i < fields.size(); i++) {
      parse(fields.get(i), numbers, integers, i);
    }
    BatchBuilder.GroupBuilder group = into.group(GroupKey.of(metric, Tags.of(tags)));
    for (int i = 0; i < fields.size(); i++) {
      FieldColumn field = fields.get(i);
      if (cells.get(field.index()).isEmpty()) {
        continue;
      }
      switch (field.kind()) {
        case DOUBLE -> group.add(field.name(), time, numbers[i]);
        case INT64 -> group.add(field.name(), time, integers[i]);
        case STRING -> group.add(field.name(), time, cells.get(field.index()));
      }
    }
  }

  /**
   * Reads a number before anything of the line is added, so that a bad line leaves nothing behind.
   */
  private void parse(FieldColumn field, double[] numbers, long[] integers, int place) {
    String text = cells.get(field.index());
    if (text.isEmpty() || field.kind() == Kind.STRING) {
      return;
    }
    if (field.kind() == Kind.DOUBLE) {
      numbers[place] = Scan.realOrSpecial(text.strip(), field.place());
    } else {
      integers[place] = Scan.integer(text.strip(), field.place());
    }
  }

  private long time(String text) {
    try {
      if (columns.timePattern() != null) {
        return instant(parsePattern(text, columns.timePattern()));
      }
      if (INTEGER.matcher(text).matches()) {
        return columns.timeUnit().convert(Scan.integer(text, "time"), target);
      }
      return instant(parseIso(text));
    } catch (DateTimeException | ArithmeticException e) {
      throw new BadLineException(
          "time '" + Scan.shown(text) + "' cannot be read as " + expectedTime(e));
    }
  }

  private String expectedTime(RuntimeException failure) {
    return columns.timePattern() != null
        ? "the pattern says (" + Scan.shown(String.valueOf(failure.getMessage())) + ")"
        : "an integer in " + columns.timeUnit().symbol() + ", 2026-01-31 or 2026-01-31T12:00:00Z";
  }

  private static Instant parsePattern(String text, DateTimeFormatter pattern) {
    return switch (pattern.parseBest(
        text, OffsetDateTime::from, LocalDateTime::from, LocalDate::from)) {
      case OffsetDateTime time -> time.toInstant();
      case LocalDateTime time -> time.toInstant(ZoneOffset.UTC);
      case LocalDate date -> date.atStartOfDay().toInstant(ZoneOffset.UTC);
      default -> throw new DateTimeException("the pattern holds no date");
    };
  }

  private static Instant parseIso(String text) {
    if (text.length() == 10) {
      return LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC);
    }
    String time = text.replace(' ', 'T');
    return WITH_OFFSET.matcher(time).matches()
        ? OffsetDateTime.parse(time).toInstant()
        : LocalDateTime.parse(time).toInstant(ZoneOffset.UTC);
  }

  private long instant(Instant instant) {
    long seconds = Math.multiplyExact(instant.getEpochSecond(), target.perSecond());
    return Math.addExact(seconds, instant.getNano() / (1_000_000_000L / target.perSecond()));
  }

  private void split(String line) {
    cells.clear();
    int at = 0;
    while (true) {
      if (at < line.length() && line.charAt(at) == '"') {
        at = splitQuoted(line, at + 1);
      } else {
        int comma = line.indexOf(',', at);
        int end = comma < 0 ? line.length() : comma;
        cells.add(line.substring(at, end));
        at = end;
      }
      if (at >= line.length()) {
        return;
      }
      if (line.charAt(at) != ',') {
        throw new BadLineException(
            "column " + cells.size() + ": expected a comma after the closing quote");
      }
      at++;
      if (at == line.length()) {
        cells.add("");
        return;
      }
    }
  }

  private int splitQuoted(String line, int from) {
    StringBuilder cell = new StringBuilder();
    for (int at = from; at < line.length(); at++) {
      char c = line.charAt(at);
      if (c != '"') {
        cell.append(c);
      } else if (at + 1 < line.length() && line.charAt(at + 1) == '"') {
        cell.append('"');
        at++;
      } else {
        cells.add(cell.toString());
        return at + 1;
      }
    }
    throw new BadLineException("a quoted value has no closing quote; a record is one line");
  }
}
