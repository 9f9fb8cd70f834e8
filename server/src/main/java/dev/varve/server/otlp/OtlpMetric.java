package dev.varve.server.otlp;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A metric as OTLP sends it: message {@code Metric} of <a
 * href="https://github.com/open-telemetry/opentelemetry-proto/blob/v1.6.0/opentelemetry/proto/metrics/v1/metrics.proto">metrics.proto</a>.
 * Times are ns since 1970, 0 where they are not said. Attributes have their values as texts.
 *
 * @param points null where the message says of no kind that is known
 */
record OtlpMetric(String name, String description, String unit, @Nullable Points points) {
  /** Bit 0 of the flags of a point: the series has no value at that time. */
  static final int NO_RECORDED_VALUE = 1;

  /** To what a value adds up. */
  enum Temporality {
    UNSPECIFIED,
    /** To what has come since the point before. */
    DELTA,
    /** To what has come since the start. */
    CUMULATIVE;

    /** By the number of the message's enum. */
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

  /** Points of exponential histograms, which are counted and not read. */
  record Exponential(int count) implements Points {}

  /** What every point has. */
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
   * @param value null where none is said
   */
  record NumberPoint(
      Map<String, String> attributes,
      long startNanos,
      long timeNanos,
      @Nullable Double value,
      long flags)
      implements Point {}

  /**
   * @param count without a sign
   * @param sum null where none is said
   * @param bucketCounts of each bucket alone, one more than bounds, or none of either
   * @param bounds the upper ones, rising, without the infinite
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
