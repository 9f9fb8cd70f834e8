package dev.varve.formats.text;

import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Influx line protocol: {@code measurement[,tag=value...] field=value[,field=value...] [time]}.
 *
 * <p>The measurement is the metric, a field a field. Values: {@code 1i} and {@code 1u} are int64,
 * {@code 1} and {@code 1.5} doubles, {@code t} and {@code f} with their longer forms int64 1 and 0,
 * {@code "text"} a text. A text may hold line ends where it is given whole; a line that ends within
 * one is an {@link OpenTextException}. Source: the line protocol page of InfluxDB's documentation.
 */
public final class InfluxLines implements LineFormat {
  /** Characters that a backslash escapes; before any other it stands for itself. */
  private static final String ESCAPED_IN_MEASUREMENT = ", ";

  private static final String ESCAPED_IN_NAME = ",= ";
  private static final String ESCAPED_IN_TEXT = "\"\\";

  /** The keys of series, which are the same in all lines. */
  private static final KeyCache<GroupKey> KEYS = KeyCache.shared();

  private final Resolution unit;
  private final int factor;
  private final Resolution target;
  private final LongSupplier now;
  private final boolean joined;
  private final List<Field> fields = new ArrayList<>();
  private @Nullable LeftOut repeated;

  /**
   * Creates a reader.
   *
   * @param unit unit of the times in the lines; nanoseconds unless the sender names another
   * @param target the resolution of the dataset; finer times are rounded towards the past
   * @param now supplies the time of lines without one, in the target resolution
   * @param joined whether each field becomes a metric {@code measurement_field} ({@code
   *     measurement} for {@code value}), for layouts without fields
   */
  public InfluxLines(Resolution unit, Resolution target, LongSupplier now, boolean joined) {
    this(unit, 1, target, now, joined);
  }

  /**
   * Creates a reader of times that count several units at once, such as minutes.
   *
   * @param factor number of units
   */
  public InfluxLines(
      Resolution unit, int factor, Resolution target, LongSupplier now, boolean joined) {
    this.unit = unit;
    this.factor = factor;
    this.target = target;
    this.now = now;
    this.joined = joined;
  }

  /**
   * Returns the same format that also reports repeated fields of a line, of which the last value
   * counts.
   */
  public InfluxLines reporting(LeftOut leftOut) {
    repeated = leftOut;
    return this;
  }

  /**
   * One field of the line in progress.
   *
   * @param integer whether {@code number} is an integer and not the bits of a double
   * @param text null for a number
   */
  private record Field(String name, boolean integer, long number, @Nullable String text) {}

  @Override
  public void read(byte[] bytes, int from, int to, BatchBuilder into) {
    int start = Scan.skipBlanks(bytes, from, to);
    if (start == to || bytes[start] == '#') {
      return;
    }
    int keyEnd = unescaped(bytes, start, to, " ", ESCAPED_IN_NAME);
    GroupKey key = key(bytes, start, keyEnd);
    int at = fields(bytes, Scan.skipBlanks(bytes, keyEnd, to), to);
    long time = time(bytes, Scan.skipBlanks(bytes, at, to), to);
    if (repeated != null) {
      dropRepeated(repeated);
    }
    add(key, time, into);
  }

  private void dropRepeated(LeftOut report) {
    report.clear();
    Map<String, Field> last = new LinkedHashMap<>();
    for (Field field : fields) {
      if (last.put(field.name(), field) != null) {
        report.add(
            "field '%s' comes again: the last value is kept".formatted(Scan.shown(field.name())));
      }
    }
    if (last.size() < fields.size()) {
      fields.clear();
      fields.addAll(last.values());
    }
  }

  private void add(GroupKey key, long time, BatchBuilder into) {
    BatchBuilder.GroupBuilder shared = joined ? null : into.group(key);
    for (Field field : fields) {
      BatchBuilder.GroupBuilder group =
          shared != null ? shared : into.group(joinedKey(key, field.name()));
      String name = joined ? Series.DEFAULT_FIELD : field.name();
      if (field.text() != null) {
        group.add(name, time, field.text());
      } else if (field.integer()) {
        group.add(name, time, field.number());
      } else {
        group.add(name, time, Double.longBitsToDouble(field.number()));
      }
    }
  }

  private static GroupKey joinedKey(GroupKey key, String field) {
    return field.equals(Series.DEFAULT_FIELD)
        ? key
        : new GroupKey(key.metric() + "_" + field, key.tags(), key.resource());
  }

  /**
   * Returns the key of a measurement with its tags.
   *
   * @param to index after the last tag
   * @throws BadLineException if it is malformed
   */
  public GroupKey key(byte[] bytes, int from, int to) {
    GroupKey known = KEYS.get(bytes, from, to);
    if (known != null) {
      return known;
    }
    int at = unescaped(bytes, from, to, ",", ESCAPED_IN_MEASUREMENT);
    String metric = unescape(bytes, from, at, ESCAPED_IN_MEASUREMENT);
    if (metric.isEmpty()) {
      throw new BadLineException("the measurement is missing before the tags");
    }
    Map<String, String> tags = new TreeMap<>();
    while (at < to) {
      int equals = unescaped(bytes, at + 1, to, "=,", ESCAPED_IN_NAME);
      int end = unescaped(bytes, equals, to, ",", ESCAPED_IN_NAME);
      if (equals == to || bytes[equals] != '=' || equals == at + 1 || end == equals + 1) {
        throw new BadLineException(
            "tag '" + Scan.shown(bytes, at + 1, end) + "' is not name=value");
      }
      String name = unescape(bytes, at + 1, equals, ESCAPED_IN_NAME);
      if (tags.put(name, unescape(bytes, equals + 1, end, ESCAPED_IN_NAME)) != null) {
        throw new BadLineException("tag '" + Scan.shown(name) + "' comes twice");
      }
      at = end;
    }
    GroupKey key = new GroupKey(metric, Tags.of(tags), Tags.EMPTY);
    KEYS.put(bytes, from, to, key);
    return key;
  }

  /** Reads the fields and returns where they end. */
  private int fields(byte[] bytes, int from, int to) {
    fields.clear();
    int at = from;
    while (true) {
      int equals = unescaped(bytes, at, to, "=, ", ESCAPED_IN_NAME);
      if (equals == to || bytes[equals] != '=' || equals == at) {
        throw new BadLineException(
            from == to
                ? "no fields: expected field=value after the measurement and tags"
                : "field '" + Scan.shown(bytes, at, equals) + "' is not name=value");
      }
      int end = valueEnd(bytes, equals + 1, to);
      fields.add(field(unescape(bytes, at, equals, ESCAPED_IN_NAME), bytes, equals + 1, end));
      if (end == to || bytes[end] != ',') {
        return end;
      }
      at = end + 1;
    }
  }

  private static int valueEnd(byte[] bytes, int from, int to) {
    if (from == to || bytes[from] != '"') {
      int at = from;
      while (at < to && bytes[at] != ',' && bytes[at] != ' ' && bytes[at] != '\r') {
        at++;
      }
      return at;
    }
    for (int at = from + 1; at < to; at++) {
      if (bytes[at] == '\\' && at + 1 < to) {
        at++;
      } else if (bytes[at] == '"') {
        return at + 1;
      }
    }
    throw new OpenTextException(
        "the text " + Scan.shown(bytes, from, to) + " has no closing quote");
  }

  private static Field field(String name, byte[] bytes, int from, int to) {
    if (from == to) {
      throw noValue(name, bytes, from, to);
    }
    if (bytes[from] == '"') {
      return new Field(name, false, 0, unescape(bytes, from + 1, to - 1, ESCAPED_IN_TEXT));
    }
    byte last = bytes[to - 1];
    if (last == 'i' || (last == 'u' && bytes[from] != '-')) {
      return new Field(name, true, Scan.integer(bytes, from, to - 1, what(name)), null);
    }
    if ((last >= '0' && last <= '9') || last == '.') {
      double value = Scan.real(bytes, from, to, what(name));
      return new Field(name, false, Double.doubleToRawLongBits(value), null);
    }
    return switch (Scan.shown(bytes, from, to)) {
      case "t", "T", "true", "True", "TRUE" -> new Field(name, true, 1, null);
      case "f", "F", "false", "False", "FALSE" -> new Field(name, true, 0, null);
      default -> throw noValue(name, bytes, from, to);
    };
  }

  private static String what(String name) {
    return "field '" + Scan.shown(name) + "':";
  }

  private static BadLineException noValue(String name, byte[] bytes, int from, int to) {
    return new BadLineException(
        what(name)
            + " '"
            + Scan.shown(bytes, from, to)
            + "' is no value (try 1.5, 1i, true or \"text\")");
  }

  /**
   * Converts a time of a line.
   *
   * @return in the resolution of the dataset
   * @throws ArithmeticException if it is too large
   */
  public long time(long inLine) {
    return unit.convert(Math.multiplyExact(inLine, factor), target);
  }

  private long time(byte[] bytes, int from, int to) {
    int end = Scan.wordEnd(bytes, from, to);
    if (from == end) {
      return now.getAsLong();
    }
    if (Scan.skipBlanks(bytes, end, to) != to) {
      throw new BadLineException(
          "unexpected \'" + Scan.shown(bytes, end, to).strip() + "\' after the time");
    }
    try {
      return time(Scan.integer(bytes, from, end, "time"));
    } catch (ArithmeticException e) {
      throw new BadLineException(
          "time '"
              + Scan.shown(bytes, from, end)
              + "' in "
              + unit.symbol()
              + " is too large for "
              + target.symbol());
    }
  }

  /** Returns the index of the first unescaped one of some bytes, or {@code to}. */
  private static int unescaped(byte[] bytes, int from, int to, String wanted, String escaped) {
    for (int at = from; at < to; at++) {
      if (isEscape(bytes, at, to, escaped)) {
        at++;
      } else if (wanted.indexOf(bytes[at]) >= 0) {
        return at;
      }
    }
    return to;
  }

  private static String unescape(byte[] bytes, int from, int to, String escaped) {
    if (Scan.find(bytes, from, to, '\\') == to) {
      return Scan.text(bytes, from, to);
    }
    byte[] plain = new byte[to - from];
    int length = 0;
    for (int at = from; at < to; at++) {
      if (isEscape(bytes, at, to, escaped)) {
        at++;
      }
      plain[length++] = bytes[at];
    }
    return Scan.text(plain, 0, length);
  }

  private static boolean isEscape(byte[] bytes, int at, int to, String escaped) {
    return bytes[at] == '\\' && at + 1 < to && escaped.indexOf(bytes[at + 1]) >= 0;
  }
}
