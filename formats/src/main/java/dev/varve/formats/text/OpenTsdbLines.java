package dev.varve.formats.text;

import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import java.util.Map;
import java.util.TreeMap;

/**
 * OpenTSDB's text lines, as its import and its telnet interface take them: {@code [put ]metric time
 * value tag=value [tag=value...]}.
 *
 * <p>A time that fits into 32 bits is seconds, a larger one milliseconds; {@code
 * seconds.milliseconds} is read too. A value without point or exponent is an int64. Source: the
 * telnet and import pages of OpenTSDB's documentation.
 */
public final class OpenTsdbLines implements LineFormat {
  private static final long LAST_SECOND = 0xFFFF_FFFFL;

  /** The keys of series, which are the same in all lines. */
  private static final KeyCache<GroupKey> KEYS = KeyCache.shared();

  private final Resolution target;

  /** Creates a reader for a resolution; finer times are rounded towards the past. */
  public OpenTsdbLines(Resolution target) {
    this.target = target;
  }

  @Override
  public void read(byte[] bytes, int from, int to, BatchBuilder into) {
    int metricFrom = Scan.skipBlanks(bytes, from, to);
    if (metricFrom == to || bytes[metricFrom] == '#') {
      return;
    }
    int metricTo = Scan.wordEnd(bytes, metricFrom, to);
    if (isPut(bytes, metricFrom, metricTo)) {
      metricFrom = Scan.skipBlanks(bytes, metricTo, to);
      metricTo = Scan.wordEnd(bytes, metricFrom, to);
    }
    read(bytes, metricFrom, metricTo, to, false, into);
  }

  /**
   * Reads a line whose time is always in milliseconds, as in KairosDB's {@code putm}.
   *
   * @param from index after the command
   */
  public void readMilliseconds(byte[] bytes, int from, int to, BatchBuilder into) {
    int metricFrom = Scan.skipBlanks(bytes, from, to);
    read(bytes, metricFrom, Scan.wordEnd(bytes, metricFrom, to), to, true, into);
  }

  /**
   * Reads a line whose value is a text and whose time is always in milliseconds, as in KairosDB's
   * {@code puts}. Double quotes enclose a text with blanks.
   *
   * @param from index after the command
   */
  public void readText(byte[] bytes, int from, int to, BatchBuilder into) {
    int metricFrom = Scan.skipBlanks(bytes, from, to);
    int metricTo = Scan.wordEnd(bytes, metricFrom, to);
    int timeFrom = Scan.skipBlanks(bytes, metricTo, to);
    int timeTo = Scan.wordEnd(bytes, timeFrom, to);
    int textFrom = Scan.skipBlanks(bytes, timeTo, to);
    boolean quoted = textFrom < to && bytes[textFrom] == '"';
    int textTo =
        quoted ? Scan.find(bytes, textFrom + 1, to, '"') : Scan.wordEnd(bytes, textFrom, to);
    if (quoted && textTo == to) {
      throw new BadLineException(
          "the text '" + Scan.shown(bytes, textFrom, to) + "' has no closing quote");
    }
    int tagsFrom = Scan.skipBlanks(bytes, quoted ? textTo + 1 : textTo, to);
    if (tagsFrom == to) {
      throw new BadLineException("expected metric, time, text and at least one tag=value");
    }
    String text = Scan.text(bytes, quoted ? textFrom + 1 : textFrom, textTo);
    long time = time(bytes, timeFrom, timeTo, true);
    into.group(key(bytes, metricFrom, metricTo, tagsFrom, to))
        .add(Series.DEFAULT_FIELD, time, text);
  }

  private void read(
      byte[] bytes, int metricFrom, int metricTo, int to, boolean millis, BatchBuilder into) {
    int timeFrom = Scan.skipBlanks(bytes, metricTo, to);
    int timeTo = Scan.wordEnd(bytes, timeFrom, to);
    int valueFrom = Scan.skipBlanks(bytes, timeTo, to);
    int valueTo = Scan.wordEnd(bytes, valueFrom, to);
    int tagsFrom = Scan.skipBlanks(bytes, valueTo, to);
    if (tagsFrom == to) {
      throw new BadLineException("expected metric, time, value and at least one tag=value");
    }
    long time = time(bytes, timeFrom, timeTo, millis);
    GroupKey key = key(bytes, metricFrom, metricTo, tagsFrom, to);
    if (isInteger(bytes, valueFrom, valueTo)) {
      long value = Scan.integer(bytes, valueFrom, valueTo, "value");
      into.group(key).add(Series.DEFAULT_FIELD, time, value);
    } else {
      double value = Scan.real(bytes, valueFrom, valueTo, "value");
      into.group(key).add(Series.DEFAULT_FIELD, time, value);
    }
  }

  private static boolean isPut(byte[] bytes, int from, int to) {
    return to - from == 3 && bytes[from] == 'p' && bytes[from + 1] == 'u' && bytes[from + 2] == 't';
  }

  /** Returns whether there are only signs and digits. */
  private static boolean isInteger(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if ((bytes[i] < '0' || bytes[i] > '9') && bytes[i] != '-' && bytes[i] != '+') {
        return false;
      }
    }
    return true;
  }

  private long time(byte[] bytes, int from, int to, boolean millis) {
    if (bytes[from] == '-') {
      throw new BadLineException("time '" + Scan.shown(bytes, from, to) + "' is before 1970");
    }
    try {
      long time = millis ? Scan.integer(bytes, from, to, "time") : milliseconds(bytes, from, to);
      return Resolution.MILLISECONDS.convert(time, target);
    } catch (ArithmeticException e) {
      throw new BadLineException(
          "time '" + Scan.shown(bytes, from, to) + "' is too large for " + target.symbol());
    }
  }

  private static long milliseconds(byte[] bytes, int from, int to) {
    int point = Scan.find(bytes, from, to, '.');
    if (point == to) {
      long time = Scan.integer(bytes, from, to, "time");
      return time > LAST_SECOND ? time : 1000 * time;
    }
    if (to - point != 4 || !isDigit(bytes[point + 1])) {
      throw new BadLineException(
          "time '" + Scan.shown(bytes, from, to) + "' needs three digits after the decimal point");
    }
    return Math.addExact(
        Math.multiplyExact(1000, Scan.integer(bytes, from, point, "time")),
        Scan.integer(bytes, point + 1, to, "time"));
  }

  private static boolean isDigit(byte c) {
    return c >= '0' && c <= '9';
  }

  /** Looks up metric and tags, which are not adjacent in the line, joined by a blank. */
  private GroupKey key(byte[] bytes, int metricFrom, int metricTo, int tagsFrom, int to) {
    byte[] joined = new byte[metricTo - metricFrom + 1 + to - tagsFrom];
    System.arraycopy(bytes, metricFrom, joined, 0, metricTo - metricFrom);
    joined[metricTo - metricFrom] = ' ';
    System.arraycopy(bytes, tagsFrom, joined, metricTo - metricFrom + 1, to - tagsFrom);
    GroupKey known = KEYS.get(joined, 0, joined.length);
    if (known != null) {
      return known;
    }
    GroupKey key = GroupKey.of(Scan.text(bytes, metricFrom, metricTo), tags(bytes, tagsFrom, to));
    KEYS.put(joined, 0, joined.length, key);
    return key;
  }

  private static Tags tags(byte[] bytes, int from, int to) {
    Map<String, String> tags = new TreeMap<>();
    for (int at = from; at < to; ) {
      int end = Scan.wordEnd(bytes, at, to);
      int equals = Scan.find(bytes, at, end, '=');
      if (equals == at || equals >= end - 1) {
        throw new BadLineException("tag '" + Scan.shown(bytes, at, end) + "' is not name=value");
      }
      String name = Scan.text(bytes, at, equals);
      String value = Scan.text(bytes, equals + 1, end);
      String before = tags.put(name, value);
      if (before != null && !before.equals(value)) {
        throw new BadLineException(
            "tag '"
                + Scan.shown(name)
                + "' comes twice, with '"
                + Scan.shown(before)
                + "' and '"
                + Scan.shown(value)
                + "'");
      }
      at = Scan.skipBlanks(bytes, end, to);
    }
    return Tags.of(tags);
  }
}
