package dev.varve.server.opentsdb.query;

import dev.varve.server.opentsdb.aggregator.Aggregator;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * A request to {@code /api/query}, as received.
 *
 * @param start null if missing
 * @param end null if missing, which means now
 * @param timezone null for UTC
 */
public record TsQuery(
    @Nullable String start,
    @Nullable String end,
    @Nullable String timezone,
    boolean useCalendar,
    List<SubQuery> queries,
    Options options) {
  /**
   * Options for the content of an answer.
   *
   * @param milliseconds whether times are shown in milliseconds, not in seconds
   * @param globalAnnotations whether annotations without a series are shown
   */
  public record Options(
      boolean padding,
      boolean noAnnotations,
      boolean globalAnnotations,
      boolean showTsuids,
      boolean milliseconds,
      boolean showQuery,
      boolean showStats,
      boolean showSummary,
      boolean delete) {
    public static final Options NONE =
        new Options(false, false, false, false, false, false, false, false, false);
  }

  /**
   * A checked query.
   *
   * @param start in milliseconds since 1970, inclusive
   * @param end in milliseconds since 1970, inclusive
   */
  public record Checked(TsQuery query, long start, long end, List<Part> parts) {}

  /**
   * A checked sub query.
   *
   * @param downsampling null for none
   * @param zone the zone of calendars
   * @param index place in the request
   */
  public record Part(
      SubQuery sub,
      Aggregator aggregator,
      @Nullable Downsampling downsampling,
      TimeZone zone,
      int index) {
    /** Returns a copy with another aggregator. */
    Part with(Aggregator other) {
      return new Part(sub, other, downsampling, zone, index);
    }

    /** Returns a copy with another downsampling. */
    Part with(Downsampling other) {
      return new Part(sub, aggregator, other, zone, index);
    }
  }

  /**
   * Checks the query in OpenTSDB's order.
   *
   * @param now the current time in milliseconds since 1970
   * @throws OpenTsdbError 400, with the query as details
   */
  public Checked check(long now) {
    List<Part> parts = new ArrayList<>();
    try {
      if (start == null || start.isEmpty()) {
        throw new IllegalArgumentException("Missing start time");
      }
      long from = QueryTime.parse(start, timezone, now);
      long to = end == null || end.isEmpty() ? now : QueryTime.parse(end, timezone, now);
      if (to <= from) {
        throw new IllegalArgumentException(
            "End time [%d] must be greater than the start time [%d]".formatted(to, from));
      }
      if (queries.isEmpty()) {
        throw new IllegalArgumentException("Missing queries");
      }
      for (int i = 0; i < queries.size(); i++) {
        parts.add(part(queries.get(i), i));
      }
      return new Checked(this, from, to, parts);
    } catch (IllegalArgumentException e) {
      throw new OpenTsdbError(400, String.valueOf(e.getMessage()), describe(parts));
    }
  }

  private Part part(SubQuery sub, int index) {
    String name = sub.aggregator();
    if (name == null || name.isEmpty()) {
      throw new IllegalArgumentException("Missing the aggregation function");
    }
    Aggregator aggregator = Aggregator.of(name);
    if (aggregator == null) {
      throw new IllegalArgumentException("No such aggregation function: " + name);
    }
    if (!sub.hasTsuids() && (sub.metric() == null || sub.metric().isEmpty())) {
      throw new IllegalArgumentException("Missing the metric or tsuids, provide at least one");
    }
    String text = sub.downsample();
    Downsampling spec = text == null || text.isEmpty() ? null : Downsampling.parse(text);
    TimeZone zone = TimeZone.getTimeZone("UTC");
    if (spec != null && timezone != null && !timezone.isEmpty()) {
      TimeZone named = QueryTime.zone(timezone);
      if (named == null) {
        throw new IllegalArgumentException("The timezone specification could not be found");
      }
      zone = named;
    }
    if (spec != null && useCalendar && !spec.isWhole()) {
      spec = spec.inCalendar();
    }
    if (spec != null && spec.calendar()) {
      // A width that no calendar counts is refused here, with the query.
      Buckets.of(spec, zone);
    }
    if (sub.ofHistograms()) {
      requireHistogram(aggregator, spec, sub.percentiles());
    }
    return new Part(sub, aggregator, spec, zone, index);
  }

  private static void requireHistogram(
      Aggregator aggregator, @Nullable Downsampling spec, @Nullable List<Float> percentiles) {
    if (!aggregator.isNone() && !aggregator.name().equals("sum")) {
      throw new IllegalArgumentException(
          "Only NONE or SUM aggregation function supported for histogram query");
    }
    if (spec != null && !spec.aggregator().name().equals("sum")) {
      throw new IllegalArgumentException(
          "Only SUM downsampling aggregation supported for histogram query");
    }
    if (percentiles != null) {
      for (Float percentile : percentiles) {
        if (percentile < 0 || percentile > 100) {
          throw new IllegalArgumentException("Invalid percentile parameters: " + percentile);
        }
      }
    }
  }

  /** Returns OpenTSDB's description of the query, given the sub queries that are checked. */
  private String describe(List<Part> checked) {
    StringBuilder subs = new StringBuilder();
    for (int i = 0; i < queries.size(); i++) {
      Downsampling spec = i < checked.size() ? checked.get(i).downsampling() : null;
      subs.append(i == 0 ? "" : ", ")
          .append(
              queries
                  .get(i)
                  .describe(spec == null ? 0 : spec.interval(), i < checked.size() ? i : 0));
    }
    return "TSQuery(start_time=%s, end_time=%s, subQueries[%s] padding=%s, no_annotations=%s, with_global_annotations=%s, show_tsuids=%s, ms_resolution=%s, options=[])"
        .formatted(
            start,
            end,
            subs,
            options.padding(),
            options.noAnnotations(),
            options.globalAnnotations(),
            options.showTsuids(),
            options.milliseconds());
  }
}
