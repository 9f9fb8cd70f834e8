package dev.varve.server.opentsdb.query;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One of the queries of a request, as received.
 *
 * @param aggregator null if missing
 * @param metric null if series are named by TSUIDs
 * @param tsuids null if series are named by metric and filters
 * @param downsample null if missing
 * @param rateOptions null if missing
 * @param percentiles of histograms; null if missing
 */
public record SubQuery(
    @Nullable String aggregator,
    @Nullable String metric,
    @Nullable List<String> tsuids,
    @Nullable String downsample,
    boolean rate,
    @Nullable RateOptions rateOptions,
    List<ValueFilter> filters,
    boolean explicitTags,
    @Nullable List<Float> percentiles,
    boolean showHistogramBuckets,
    boolean preAggregate,
    @Nullable String rollupUsage) {
  /** Collects the members of a sub query. */
  static final class Builder {
    @Nullable String aggregator;
    @Nullable String metric;
    @Nullable List<String> tsuids;
    @Nullable String downsample;
    boolean rate;
    @Nullable RateOptions rateOptions;
    List<ValueFilter> filters = new ArrayList<>();
    boolean explicitTags;
    @Nullable List<Float> percentiles;
    boolean showHistogramBuckets;
    boolean preAggregate;
    @Nullable String rollupUsage;

    SubQuery build() {
      return new SubQuery(
          aggregator,
          metric,
          tsuids,
          downsample,
          rate,
          rateOptions,
          List.copyOf(filters),
          explicitTags,
          percentiles,
          showHistogramBuckets,
          preAggregate,
          rollupUsage);
    }
  }

  /** Returns a copy with another downsampling. */
  public SubQuery downsampled(@Nullable String other) {
    return new SubQuery(
        aggregator,
        metric,
        tsuids,
        other,
        rate,
        rateOptions,
        filters,
        explicitTags,
        percentiles,
        showHistogramBuckets,
        preAggregate,
        rollupUsage);
  }

  /** Returns a query of a metric with filters. */
  public static SubQuery of(
      String aggregator,
      String metric,
      List<ValueFilter> filters,
      boolean explicitTags,
      boolean rate,
      @Nullable String downsample) {
    return new SubQuery(
        aggregator,
        metric,
        null,
        downsample,
        rate,
        null,
        filters,
        explicitTags,
        null,
        false,
        false,
        null);
  }

  boolean hasTsuids() {
    return tsuids != null && !tsuids.isEmpty();
  }

  public boolean ofHistograms() {
    return showHistogramBuckets || (percentiles != null && !percentiles.isEmpty());
  }

  /**
   * Returns OpenTSDB's description, which it shows in errors.
   *
   * @param interval the width of a bucket in milliseconds; 0 if unknown
   * @param index place in the request
   */
  String describe(long interval, int index) {
    return "TSSubQuery(metric=%s, filters=[%s], tsuids=[%s], agg=%s, downsample=%s, ds_interval=%d, rate=%s, rate_options=%s, explicit_tags=explicit_tags, index=%d, percentiles=%s, show_histogram_buckets=%s)"
        .formatted(
            metric == null ? "" : metric,
            filters.stream().map(ValueFilter::toString).collect(Collectors.joining(", ")),
            tsuids == null ? "" : String.join(", ", tsuids),
            aggregator,
            downsample,
            interval,
            rate,
            rateOptions,
            index,
            percentiles,
            showHistogramBuckets);
  }
}
