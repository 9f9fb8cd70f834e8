package dev.varve.engine.usage;

import dev.varve.engine.request.ReadRequest;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import java.util.TreeSet;

/**
 * The fingerprint of a query. Queries that differ only in the values of labels, and slightly in
 * time, have the same fingerprint.
 *
 * @param kind with its step rounded up to a {@link #CLASSES class}
 * @param metric the metric; empty if no equality fixes it
 * @param labels which labels are bound, and how: {@code host=,job=~}, in the order of their names
 * @param spanMillis length of the range of time, rounded up to a class; {@link Long#MAX_VALUE} for
 *     more than all of them
 * @param recent whether the range ends at the time of the query, or a fraction of its length before
 * @param newest how many of the newest samples of a series suffice; 0 for all
 */
public record QueryShape(
    QueryKind kind, String metric, String labels, long spanMillis, boolean recent, int newest) {
  private static final long MINUTE = 60_000;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  /** The classes of lengths, in milliseconds. */
  private static final long[] CLASSES = {
    1_000,
    15_000,
    MINUTE,
    5 * MINUTE,
    15 * MINUTE,
    HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    30 * DAY,
    90 * DAY,
    365 * DAY
  };

  /**
   * Maximum characters of the texts of a logged query, so that a sender of odd names cannot fill
   * the memory.
   */
  private static final int TEXT_MAX = 400;

  /** Returns the shape of a read. */
  static QueryShape of(QueryKind kind, ReadRequest request, Resolution resolution, long nowMillis) {
    double ticks = (double) request.times().to() - request.times().from();
    double millis = ticks * 1000 / resolution.perSecond();
    double end = (double) request.times().to() * 1000 / resolution.perSecond();
    String metric = request.selector().metric();
    return new QueryShape(
        new QueryKind(kind.language(), kind.aggregation(), classOf((double) kind.stepMillis())),
        metric == null ? "" : metric,
        labels(request.selector()),
        classOf(millis),
        end >= nowMillis - Math.max((double) MINUTE, millis / 4),
        request.newestFirst());
  }

  private static long classOf(double millis) {
    if (millis <= 0) {
      return 0;
    }
    for (long of : CLASSES) {
      if (millis <= of) {
        return of;
      }
    }
    return Long.MAX_VALUE;
  }

  private static String labels(Selector selector) {
    TreeSet<String> bound = new TreeSet<>();
    for (TagFilter filter : selector.filters()) {
      if (!(filter instanceof TagFilter.Equal && filter.name().equals(Series.NAME_LABEL))) {
        bound.add(filter.name() + how(filter));
      }
    }
    return String.join(",", bound);
  }

  private static String how(TagFilter filter) {
    return switch (filter) {
      case TagFilter.Equal _ -> "=";
      case TagFilter.In _ -> " in";
      case TagFilter.NotEqual _ -> "!=";
      case TagFilter.Prefix _ -> "=^";
      case TagFilter.Regex _ -> "=~";
      case TagFilter.NotRegex _ -> "!~";
      case TagFilter.Has _ -> " has";
    };
  }

  /** Returns whether the texts are short enough to be kept. */
  boolean isShort() {
    return metric.length() + labels.length() <= TEXT_MAX;
  }

  /** Returns an upper estimate of the heap bytes of the shape. */
  long bytes() {
    return 160
        + 2L
            * (metric.length()
                + labels.length()
                + kind.language().length()
                + kind.aggregation().length());
  }

  /** Returns the shape in words: {@code promql sum(rate) of cpu{host=}, 1h up to now}. */
  public String text() {
    StringBuilder text = new StringBuilder(kind.language());
    if (!kind.aggregation().isEmpty()) {
      text.append(' ').append(kind.aggregation());
    }
    text.append(" of ").append(metric.isEmpty() ? "any metric" : metric);
    text.append('{').append(labels).append('}');
    if (newest > 0) {
      text.append(", the newest ").append(newest);
    }
    text.append(", ").append(length(spanMillis));
    text.append(recent ? " up to now" : " in the past");
    return kind.stepMillis() == 0
        ? text.toString()
        : text.append(", step ").append(length(kind.stepMillis())).toString();
  }

  private static String length(long millis) {
    if (millis == Long.MAX_VALUE) {
      return "more than a year";
    }
    return millis >= DAY
        ? millis / DAY + "d"
        : millis >= HOUR
            ? millis / HOUR + "h"
            : millis >= MINUTE ? millis / MINUTE + "m" : millis / 1000 + "s";
  }
}
