package dev.varve.server.text;

import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Tags;
import java.util.Map;
import java.util.TreeMap;

/**
 * OpenTSDB's text lines, as its import and its telnet interface take them: {@code [put ]metric time
 * value tag=value [tag=value...]}.
 *
 * <p>A time of up to ten digits is seconds, else milliseconds, also as {@code
 * seconds.milliseconds}. A value without point or exponent is an int64. Source: the telnet and
 * import pages of OpenTSDB's documentation.
 */
public final class OpenTsdbLines implements LineFormat {
  private static final long LAST_SECOND = 0xFFFF_FFFFL;

  private final Resolution target;
  private final KeyCache keys = new KeyCache();

  /** Prepares to read, for a dataset of a resolution; finer times are rounded towards the past. */
  public OpenTsdbLines(Resolution target) {
    this.target = target;
  }

  @Override
  public void read(byte[] bytes, int from, int to, BatchBuilder into) {
    int metricFrom = Scan.skipBlanks(bytes, from, to);
    int metricTo = Scan.wordEnd(bytes, metricFrom, to);
    if (metricTo - metricFrom == 3 && Scan.utf8(bytes, metricFrom, metricTo).equals("put")) {
      metricFrom = Scan.skipBlanks(bytes, metricTo, to);
      metricTo = Scan.wordEnd(bytes, metricFrom, to);
    }
    if (metricFrom == to || bytes[metricFrom] == '#') {
      return;
    }
    int timeFrom = Scan.skipBlanks(bytes, metricTo, to);
    int timeTo = Scan.wordEnd(bytes, timeFrom, to);
    int valueFrom = Scan.skipBlanks(bytes, timeTo, to);
    int valueTo = Scan.wordEnd(bytes, valueFrom, to);
    int tagsFrom = Scan.skipBlanks(bytes, valueTo, to);
    if (valueFrom == valueTo || tagsFrom == to) {
      throw new BadLineException("expected metric, time, value and at least one tag=value");
    }
    long time = Resolution.MILLISECONDS.convert(time(bytes, timeFrom, timeTo), target);
    GroupKey key = key(bytes, metricFrom, metricTo, tagsFrom, to);
    if (isFloat(bytes, valueFrom, valueTo)) {
      double value = Scan.real(bytes, valueFrom, valueTo, "value");
      into.group(key).add(dev.varve.model.Series.DEFAULT_FIELD, time, value);
    } else {
      long value = Scan.integer(bytes, valueFrom, valueTo, "value");
      into.group(key).add(dev.varve.model.Series.DEFAULT_FIELD, time, value);
    }
  }

  private static boolean isFloat(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] == '.' || bytes[i] == 'e' || bytes[i] == 'E') {
        return true;
      }
    }
    return false;
  }

  private static long time(byte[] bytes, int from, int to) {
    int point = Scan.find(bytes, from, to, '.');
    if (point < to) {
      if (to - point != 4) {
        throw new BadLineException(
            "time '" + Scan.utf8(bytes, from, to) + "' needs three digits behind the point");
      }
      return 1000 * Scan.integer(bytes, from, point, "time")
          + Scan.integer(bytes, point + 1, to, "time");
    }
    long time = Scan.integer(bytes, from, to, "time");
    if (time < 0) {
      throw new BadLineException("time " + time + " is before 1970");
    }
    return time > LAST_SECOND ? time : 1000 * time;
  }

  /**
   * The tags make the larger part of a key, so they are looked up with the metric before them only
   * where both are new.
   */
  private GroupKey key(byte[] bytes, int metricFrom, int metricTo, int tagsFrom, int to) {
    byte[] joined = new byte[metricTo - metricFrom + 1 + to - tagsFrom];
    System.arraycopy(bytes, metricFrom, joined, 0, metricTo - metricFrom);
    joined[metricTo - metricFrom] = ' ';
    System.arraycopy(bytes, tagsFrom, joined, metricTo - metricFrom + 1, to - tagsFrom);
    GroupKey known = keys.get(joined, 0, joined.length);
    if (known != null) {
      return known;
    }
    GroupKey key = GroupKey.of(Scan.utf8(bytes, metricFrom, metricTo), tags(bytes, tagsFrom, to));
    keys.put(joined, 0, joined.length, key);
    return key;
  }

  private static Tags tags(byte[] bytes, int from, int to) {
    Map<String, String> tags = new TreeMap<>();
    for (int at = from; at < to; ) {
      int end = Scan.wordEnd(bytes, at, to);
      int equals = Scan.find(bytes, at, end, '=');
      if (equals == at || equals >= end - 1) {
        throw new BadLineException("tag '" + Scan.utf8(bytes, at, end) + "' is not name=value");
      }
      String name = Scan.utf8(bytes, at, equals);
      String value = Scan.utf8(bytes, equals + 1, end);
      String before = tags.put(name, value);
      if (before != null && !before.equals(value)) {
        throw new BadLineException(
            "tag '" + name + "' comes twice, with '" + before + "' and '" + value + "'");
      }
      at = Scan.skipBlanks(bytes, end, to);
    }
    return Tags.of(tags);
  }
}
