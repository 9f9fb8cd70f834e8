package dev.varve.server.otlp;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A metric in OTLP: message {@code Metric} of <a
 * href="https://github.com/open-telemetry/opentelemetry-proto/blob/v1.6.0/opentelemetry/proto/metrics/v1/metrics.proto">metrics.proto</a>.
 * Times are ns since 1970; 0 if missing. Values of attributes are converted to texts.
 *
 * @param points null if the metric is of an unknown kind
 */
record OtlpMetric(String name, String description, String unit, @Nullable Points points) {
  /** Bit 0 of a point's flags: the series has no value at that time. */
  static final int NO_RECORDED_VALUE = 1;

  /** The interval that a value covers. */
  enum Temporality {
    UNSPECIFIED,
    /** Since the preceding point. */
    DELTA,
    /** Since the start. */
    CUMULATIVE;

    /** Returns the temporality for the number of the message's enum. */
    static Temporality of(long number) {
      return number == 1 ? DELTA : number == 2 ? CUMULATIVE : UNSPECIFIED;
    }
  }

  /** The points of a metric, all of one kind. */
  sealed interface Points {
    int count();
  }

  record Gauge(List<NumberPoint> points) implements Points {
    @Override
    public int count() {
      return points.size();
    }
  }

  record Sum(Temporality temporality, boolean monotonic, List<NumberPoint> points)
      implements Points {
    @Override
    public int count() {
      return points.size();
    }
  }

  record Histogram(Temporality temporality, List<HistogramPoint> points) implements Points {
    @Override
    public int count() {
      return points.size();
    }
  }

  record Summary(List<SummaryPoint> points) implements Points {
    @Override
    public int count() {
      return points.size();
    }
  }

  /** Points of exponential histograms, which are only counted. */
  record Exponential(int count) implements Points {}

  /** Properties of every point. */
  sealed interface Point {
    Map<String, String> attributes();

    long startNanos();

    long timeNanos();

    long flags();

    default boolean hasNoValue() {
      return (flags() & NO_RECORDED_VALUE) != 0;
    }
  }

  /**
   * @param value null if missing
   */
  record NumberPoint(
      Map<String, String> attributes,
      long startNanos,
      long timeNanos,
      @Nullable Double value,
      long flags)
      implements Point {}

  /**
   * @param count unsigned
   * @param sum null if missing
   * @param bucketCounts one per bucket, not cumulative; one more than bounds, or both are empty
   * @param bounds upper bounds, ascending, without infinity
   */
  record HistogramPoint(
      Map<String, String> attributes,
      long startNanos,
      long timeNanos,
      long count,
      @Nullable Double sum,
      long[] bucketCounts,
      double[] bounds,
      long flags)
      implements Point {}

  /** Quantiles from 0 to 1 and their values. */
  record SummaryPoint(
      Map<String, String> attributes,
      long startNanos,
      long timeNanos,
      long count,
      double sum,
      double[] quantiles,
      double[] values,
      long flags)
      implements Point {}
}
