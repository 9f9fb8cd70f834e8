package dev.varve.formats.text;

import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import java.time.Clock;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Graphite's plaintext protocol: {@code path value [time]}, the path with tags as {@code
 * name;tag=value;tag=value} or without.
 *
 * <p>A value is a double. As in carbon, a line with NaN is ignored. A time is in seconds, with or
 * without a fraction; -1, or no time, is now. {@link GraphiteTemplates} map the steps of a path, or
 * of the name before tags. As in Telegraf, a tag that was sent wins over one of a template. Source:
 * the pages "Feeding In Your Data" and "Graphite Tag Support" of Graphite's documentation.
 */
public final class GraphiteLines implements LineFormat {
  /** Maximum time in seconds, in the year 2286; a later time is probably in milliseconds. */
  private static final double SECONDS_MAX = 1e10;

  private final GraphiteTemplates templates;
  private final Resolution target;
  private final LongSupplier now;
  private final boolean joined;

  /**
   * Creates a reader.
   *
   * @param target resolution of the dataset
   * @param now supplies the time of lines without one, in the target resolution
   * @param joined whether a field becomes a part of the metric, {@code metric_field}, for layouts
   *     without fields
   */
  public GraphiteLines(
      GraphiteTemplates templates, Resolution target, LongSupplier now, boolean joined) {
    this.templates = templates;
    this.target = target;
    this.now = now;
    this.joined = joined;
  }

  /**
   * Creates a reader of lines that get the current time if they have none.
   *
   * @param target resolution of the dataset
   * @param joined whether a field becomes a part of the metric
   */
  public static GraphiteLines of(
      GraphiteTemplates templates, Resolution target, Clock clock, boolean joined) {
    return new GraphiteLines(
        templates, target, () -> Resolution.MILLISECONDS.convert(clock.millis(), target), joined);
  }

  @Override
  public void read(byte[] bytes, int from, int to, BatchBuilder into) {
    int pathFrom = Scan.skipBlanks(bytes, from, to);
    if (pathFrom == to) {
      return;
    }
    int pathTo = Scan.wordEnd(bytes, pathFrom, to);
    int valueFrom = Scan.skipBlanks(bytes, pathTo, to);
    int valueTo = Scan.wordEnd(bytes, valueFrom, to);
    int timeFrom = Scan.skipBlanks(bytes, valueTo, to);
    int timeTo = Scan.wordEnd(bytes, timeFrom, to);
    if (valueFrom == valueTo || Scan.skipBlanks(bytes, timeTo, to) != to) {
      throw new BadLineException(
          "expected path, value and time: '" + Scan.shown(bytes, from, to) + "'");
    }
    double value = Scan.realOrSpecial(Scan.text(bytes, valueFrom, valueTo), "value");
    double seconds =
        timeFrom == timeTo ? -1 : Scan.real(Scan.text(bytes, timeFrom, timeTo), "time");
    add(bytes, pathFrom, pathTo, seconds, value, into);
  }

  /**
   * Adds a sample of the pickle protocol. A NaN adds nothing.
   *
   * @param path the path in UTF-8
   * @param seconds time in seconds since 1970; -1 for now
   * @throws BadLineException if the path or the time is invalid; the batch is unchanged
   */
  public void add(byte[] path, double seconds, double value, BatchBuilder into) {
    add(path, 0, path.length, seconds, value, into);
  }

  private void add(byte[] path, int from, int to, double seconds, double value, BatchBuilder into) {
    long time = time(seconds);
    KeyCache<Series> cache = templates.known(joined);
    Series known = cache.get(path, from, to);
    if (known == null) {
      Series read = series(Scan.text(path, from, to));
      known = joined ? joined(read) : read;
      cache.put(path, from, to, known);
    }
    if (!Double.isNaN(value)) {
      into.group(known.key()).add(known.field(), time, value);
    }
  }

  private long time(double seconds) {
    if (seconds == -1) {
      return now.getAsLong();
    }
    if (!(Math.abs(seconds) < SECONDS_MAX)) {
      throw new BadLineException(
          "time %s is not in seconds since 1970".formatted(Double.toString(seconds)));
    }
    // A double is precise to microseconds; finer digits do not come from the sender.
    return Resolution.MICROSECONDS.convert(Math.round(seconds * 1e6), target);
  }

  private static Series joined(Series read) {
    if (read.field().equals(Series.DEFAULT_FIELD)) {
      return read;
    }
    return GroupKey.of(read.metric() + "_" + read.field(), read.key().tags())
        .field(Series.DEFAULT_FIELD);
  }

  private Series series(String path) {
    String[] parts = path.split(";", -1);
    if (parts[0].isEmpty()) {
      throw new BadLineException(
          parts.length == 1
              ? "the path is empty"
              : "the name is missing before the tags: '" + Scan.shown(path) + "'");
    }
    Series named = templates.series(parts[0]);
    if (parts.length == 1) {
      return named;
    }
    Map<String, String> tags = new TreeMap<>(named.key().tags().toMap());
    for (int i = 1; i < parts.length; i++) {
      int equals = parts[i].indexOf('=');
      if (equals < 1 || equals == parts[i].length() - 1) {
        throw new BadLineException("tag '" + Scan.shown(parts[i]) + "' is not name=value");
      }
      tags.put(parts[i].substring(0, equals), parts[i].substring(equals + 1));
    }
    return GroupKey.of(named.metric(), Tags.of(tags)).field(named.field());
  }
}
