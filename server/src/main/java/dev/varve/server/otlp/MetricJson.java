package dev.varve.server.otlp;

import dev.varve.server.http.HeldPart;
import dev.varve.server.otlp.OtlpMetric.Exponential;
import dev.varve.server.otlp.OtlpMetric.Gauge;
import dev.varve.server.otlp.OtlpMetric.Histogram;
import dev.varve.server.otlp.OtlpMetric.HistogramPoint;
import dev.varve.server.otlp.OtlpMetric.NumberPoint;
import dev.varve.server.otlp.OtlpMetric.Points;
import dev.varve.server.otlp.OtlpMetric.Sum;
import dev.varve.server.otlp.OtlpMetric.Summary;
import dev.varve.server.otlp.OtlpMetric.SummaryPoint;
import dev.varve.server.otlp.OtlpMetric.Temporality;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Reads metrics with the points of all kinds. */
final class MetricJson {
  /** Memory of a metric in bytes, without its texts and points. */
  private static final int METRIC_BYTES = 200;

  /** Memory of a point in bytes, without its attributes and lists. */
  private static final int POINT_BYTES = 1_000;

  private final HeldPart held;
  private final AttributeJson attributes;

  MetricJson(HeldPart held, AttributeJson attributes) {
    this.held = held;
    this.attributes = attributes;
  }

  /** Reads a metric that has been entered. */
  OtlpMetric read(ProtoJson json) {
    held.hold(METRIC_BYTES);
    String name = "";
    String description = "";
    String unit = "";
    Points points = null;
    while (json.next()) {
      switch (json.name()) {
        case "name" -> name = json.text();
        case "description" -> description = json.text();
        case "unit" -> unit = json.text();
        case "gauge" -> points = new Gauge(data(json).each(PointFields::number));
        case "sum" -> {
          Data data = data(json);
          points = new Sum(data.temporality, data.monotonic, data.each(PointFields::number));
        }
        case "histogram" -> {
          Data data = data(json);
          points = new Histogram(data.temporality, data.each(PointFields::histogram));
        }
        case "summary" -> points = new Summary(data(json).each(PointFields::summary));
        case "exponentialHistogram" -> points = new Exponential(data(json).points.size());
        default -> json.skip();
      }
    }
    return new OtlpMetric(name, description, unit, points);
  }

  /** The fields of all kinds of metrics; one that is missing has its default. */
  private static final class Data {
    private final List<PointFields> points = new ArrayList<>();
    private Temporality temporality = Temporality.UNSPECIFIED;
    private boolean monotonic;

    <T> List<T> each(Function<PointFields, T> kind) {
      return points.stream().map(kind).toList();
    }
  }

  private Data data(ProtoJson json) {
    Data data = new Data();
    if (json.enter()) {
      while (json.next()) {
        switch (json.name()) {
          case "dataPoints" -> json.each(() -> data.points.add(point(json)));
          case "aggregationTemporality" -> data.temporality = temporality(json);
          case "isMonotonic" -> data.monotonic = json.bool();
          default -> json.skip();
        }
      }
    }
    return data;
  }

  /** The fields of all kinds of points; one that is missing has its default. */
  private static final class PointFields {
    private final Map<String, String> attributes = new LinkedHashMap<>();
    private final LongStream.Builder bucketCounts = LongStream.builder();
    private final DoubleStream.Builder bounds = DoubleStream.builder();
    private final DoubleStream.Builder quantiles = DoubleStream.builder();
    private final DoubleStream.Builder values = DoubleStream.builder();
    private long start;
    private long time;
    private long flags;
    private long count;
    private @Nullable Double sum;
    private @Nullable Double value;

    NumberPoint number() {
      return new NumberPoint(attributes, start, time, value, flags);
    }

    HistogramPoint histogram() {
      return new HistogramPoint(
          attributes,
          start,
          time,
          count,
          sum,
          bucketCounts.build().toArray(),
          bounds.build().toArray(),
          flags);
    }

    SummaryPoint summary() {
      return new SummaryPoint(
          attributes,
          start,
          time,
          count,
          sum == null ? 0 : sum,
          quantiles.build().toArray(),
          values.build().toArray(),
          flags);
    }
  }

  private PointFields point(ProtoJson json) {
    held.hold(POINT_BYTES);
    PointFields point = new PointFields();
    while (json.next()) {
      switch (json.name()) {
        case "attributes" -> attributes.read(json, point.attributes);
        case "startTimeUnixNano" -> point.start = json.integer();
        case "timeUnixNano" -> point.time = json.integer();
        case "flags" -> point.flags = json.integer();
        case "asDouble" -> point.value = json.realOr(point.value);
        case "asInt" -> point.value = json.integerOr(point.value);
        case "count" -> point.count = json.integer();
        case "sum" -> point.sum = json.realOr(point.sum);
        case "bucketCounts" -> json.eachInteger(point.bucketCounts::add);
        case "explicitBounds" -> json.eachReal(point.bounds::add);
        case "quantileValues" -> json.each(() -> readQuantile(json, point));
        default -> json.skip();
      }
    }
    return point;
  }

  private void readQuantile(ProtoJson json, PointFields into) {
    double quantile = 0;
    double value = 0;
    while (json.next()) {
      switch (json.name()) {
        case "quantile" -> quantile = json.real();
        case "value" -> value = json.real();
        default -> json.skip();
      }
    }
    held.hold(2 * ProtoJson.NUMBER_BYTES);
    into.quantiles.add(quantile);
    into.values.add(value);
  }

  private static Temporality temporality(ProtoJson json) {
    return json.enumeration(
        Temporality::of,
        name ->
            switch (name) {
              case "AGGREGATION_TEMPORALITY_DELTA" -> Temporality.DELTA;
              case "AGGREGATION_TEMPORALITY_CUMULATIVE" -> Temporality.CUMULATIVE;
              default -> Temporality.UNSPECIFIED;
            },
        "the number of a temporality");
  }
}
