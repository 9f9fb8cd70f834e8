package dev.varve.server.opentsdb.query;

import dev.varve.server.opentsdb.aggregator.Aggregator;

/**
 * A specification such as {@code 1h-avg-nan}.
 *
 * @param interval the width of a bucket in milliseconds; 0 for one bucket of the whole query
 * @param width the text of the width, without the letter for calendars
 * @param calendar whether buckets begin at the boundaries of a calendar
 */
public record Downsampling(
    long interval, String width, Aggregator aggregator, Fill fill, boolean calendar) {
  /**
   * Parses a specification.
   *
   * @throws IllegalArgumentException with OpenTSDB's message if it is invalid
   */
  static Downsampling parse(String text) {
    String[] parts = text.split("-", 0);
    if (parts.length < 2) {
      throw new IllegalArgumentException(
          "Invalid downsampling specifier '%s': must provide at least interval and function"
              .formatted(text));
    }
    if (parts.length > 3) {
      throw new IllegalArgumentException(
          "Invalid downsampling specifier '%s': must consist of interval, function, and optional fill policy"
              .formatted(text));
    }
    String width = parts[0];
    boolean all = width.contains("all");
    boolean calendar = !all && width.endsWith("c");
    width = calendar ? width.substring(0, width.length() - 1) : width;
    long interval = all ? 0 : QueryTime.duration(width);
    Aggregator aggregator = Aggregator.of(parts[1]);
    if (aggregator == null) {
      throw new IllegalArgumentException("No such downsampling function: " + parts[1]);
    }
    if (aggregator.isNone()) {
      throw new IllegalArgumentException("cannot use the NONE aggregator for downsampling");
    }
    Fill fill = parts.length == 3 ? Fill.of(parts[2]) : Fill.NONE;
    if (fill == Fill.SCALAR) {
      throw new IllegalArgumentException(
          "the fill policy scalar has no value here; take none, nan, null or zero");
    }
    return new Downsampling(interval, width, aggregator, fill, calendar);
  }

  /** Returns whether there is one bucket for the whole query. */
  boolean isWhole() {
    return interval == 0;
  }

  Downsampling inCalendar() {
    return new Downsampling(interval, width, aggregator, fill, true);
  }
}
