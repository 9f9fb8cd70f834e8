package dev.varve.server.kairosdb;

import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.query.QueryPlan;
import dev.varve.query.QueryPlan.Gaps;
import dev.varve.query.QueryPlan.Splitter;
import dev.varve.server.http.HttpError;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A compiled query.
 *
 * @param metrics in the order of the request
 */
record QueryRequest(List<MetricQuery> metrics) {
  /**
   * The query of one metric.
   *
   * @param filters on its series, including the name
   * @param excludeTags whether the answer leaves out the tags
   * @param saves the series to which its results are also written, by the index of each {@link
   *     QueryPlan.Copy}
   */
  record MetricQuery(
      String name,
      List<TagFilter> filters,
      TimeRange times,
      QueryPlan plan,
      boolean excludeTags,
      GroupBy groupBy,
      List<SaveAs> saves) {
    MetricQuery {
      filters = List.copyOf(filters);
      saves = List.copyOf(saves);
    }
  }

  /**
   * Ensures that no answer will be too long because of gaps, which the request alone decides,
   * before an answer begins.
   *
   * @throws HttpError 400 for a {@code gaps} over too many windows
   */
  void ensureBounded() {
    for (int i = 0; i < metrics.size(); i++) {
      Gaps gaps = tooLong(metrics.get(i).plan());
      if (gaps != null) {
        throw HttpError.badRequest(
            "query.metric[%d].aggregators: gaps over more than %,d windows of %s; make the windows wider or the range shorter"
                .formatted(i, Gaps.MAX, gaps.windows()));
      }
    }
  }

  private static @Nullable Gaps tooLong(QueryPlan plan) {
    return switch (plan) {
      case Gaps gaps when gaps.isTooLong() -> gaps;
      case QueryPlan.PerSeries operator -> tooLong(operator.input());
      case QueryPlan.Numbers numbers -> tooLong(numbers.operator());
      // Aggregators come last.
      default -> null;
    };
  }

  /** Returns whether the query also writes. */
  boolean writes() {
    return metrics.stream().anyMatch(metric -> !metric.saves().isEmpty());
  }

  /**
   * The grouping of a metric.
   *
   * @param tags of the first grouping by tags, as given, including duplicates; empty without one
   * @param groupings all other groupings, in order
   * @param splitters that implement those groupings
   * @param refusal the error with which the query fails once there is a point; null for none
   * @param refusalOfNumbers the error with which it fails once there is a number; null for none
   */
  record GroupBy(
      List<String> tags,
      List<Grouping> groupings,
      List<Splitter> splitters,
      @Nullable String refusal,
      @Nullable String refusalOfNumbers) {}

  /**
   * A grouping by something other than tags.
   *
   * @param block what the answer repeats of the grouping, in order
   * @param group field name of the group's number
   */
  record Grouping(String name, Map<String, @Nullable Object> block, String group) {}

  /** Returns the range of a query in the resolution of a dataset; both ends are inclusive. */
  static TimeRange range(long first, long last, Resolution resolution) {
    if (resolution == Resolution.MILLISECONDS) {
      return TimeRange.closed(first, last);
    }
    if (resolution == Resolution.SECONDS) {
      return TimeRange.closed(Math.ceilDiv(first, 1000L), Math.floorDiv(last, 1000L));
    }
    long scale = resolution.perSecond() / 1000;
    return new TimeRange(
        scaled(first, scale), last == Long.MAX_VALUE ? last : scaled(last + 1, scale));
  }

  private static long scaled(long time, long scale) {
    long most = Long.MAX_VALUE / scale;
    return Math.clamp(time, -most, most) * scale;
  }

  static TagFilter named(String metric) {
    return new TagFilter.Equal(Series.NAME_LABEL, metric);
  }
}
