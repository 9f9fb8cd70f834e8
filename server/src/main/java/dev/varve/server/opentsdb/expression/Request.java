package dev.varve.server.opentsdb.expression;

import dev.varve.server.opentsdb.query.Fill;
import dev.varve.server.opentsdb.query.ValueFilter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to {@code /api/query/exp}, as received.
 *
 * @param name null if missing
 * @param outputs null if missing, which means all expressions
 */
record Request(
    @Nullable String name,
    Span time,
    List<NamedFilter> filters,
    List<Metric> metrics,
    List<Expression> expressions,
    @Nullable List<Output> outputs) {
  /**
   * The time range, and what all metrics share.
   *
   * @param end null for now
   * @param downsampler null for none
   */
  record Span(
      @Nullable String start,
      @Nullable String end,
      @Nullable String timezone,
      @Nullable Downsampler downsampler,
      @Nullable String aggregator,
      boolean rate) {}

  record Downsampler(
      @Nullable String interval, @Nullable String aggregator, @Nullable FillPolicy fill) {}

  /**
   * A value for missing ones.
   *
   * @param value NaN for the policies without a number
   */
  record FillPolicy(Fill policy, double value) {}

  record NamedFilter(@Nullable String id, List<ValueFilter> tags, boolean explicitTags) {}

  /**
   * A variable.
   *
   * @param filter the id of a filter; null for none
   * @param aggregator null for that of the time range
   * @param timeOffset shown in the answer, and otherwise ignored as by OpenTSDB
   */
  record Metric(
      @Nullable String metric,
      @Nullable String id,
      @Nullable String filter,
      @Nullable String aggregator,
      @Nullable String timeOffset,
      @Nullable FillPolicy fill) {}

  record Expression(
      @Nullable String id, @Nullable String formula, Join join, @Nullable FillPolicy fill) {}

  /**
   * The rules by which series of different variables are joined.
   *
   * @param intersection whether only series that all variables have are kept
   * @param useQueryTags whether only tags with filters must be equal
   * @param includeAggTags whether the names of aggregated tags must be equal, too
   */
  record Join(boolean intersection, boolean useQueryTags, boolean includeAggTags) {
    static final Join DEFAULT = new Join(false, false, true);
  }

  record Output(@Nullable String id, @Nullable String alias) {}
}
