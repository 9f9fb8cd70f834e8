package dev.varve.server.otlp;

import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.formats.protobuf.WireReader;
import dev.varve.formats.protobuf.WireStream;
import dev.varve.server.http.HeldPart;
import dev.varve.server.http.WriteBudget.Reservation;
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
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code ExportMetricsServiceRequest} from Protocol Buffers. Unknown fields are ignored, and
 * so are scopes, exemplars and metadata.
 *
 * <pre>
 * ExportMetricsServiceRequest  resource_metrics 1 *
 * ResourceMetrics              resource 1, scope_metrics 2 *
 * Resource                     attributes 1 *
 * ScopeMetrics                 metrics 2 *
 * Metric                       name 1, description 2, unit 3, gauge 5, sum 7, histogram 9,
 *                              exponential_histogram 10, summary 11
 * Gauge, Summary               data_points 1 *
 * Sum                          data_points 1 *, aggregation_temporality 2, is_monotonic 3
 * Histogram                    data_points 1 *, aggregation_temporality 2
 * NumberDataPoint              start_time_unix_nano 2 fixed64, time_unix_nano 3 fixed64,
 *                              as_double 4, as_int 6 sfixed64, attributes 7 *, flags 8
 * HistogramDataPoint           start 2, time 3, count 4 fixed64, sum 5 double, bucket_counts 6
 *                              fixed64 *, explicit_bounds 7 double *, attributes 9 *, flags 10
 * SummaryDataPoint             start 2, time 3, count 4 fixed64, sum 5 double,
 *                              quantile_values 6 *, attributes 7 *, flags 8
 * ValueAtQuantile              quantile 1 double, value 2 double
 * KeyValue                     key 1, value 2
 * AnyValue                     string 1, bool 2, int 3, double 4, array 5, kvlist 6, bytes 7
 * </pre>
 */
final class OtlpProtobuf {
  /** Memory of a message's texts in addition to the message, per byte. */
  private static final int MEMORY_PER_BYTE = 4;

  private static final int POINT_BYTES = 256;
  private static final int ATTRIBUTE_BYTES = 160;
  private static final int NUMBER_BYTES = 24;
  private static final int VALUE_BYTES = 64;

  private final OtlpSink sink;

  /** Memory of the current resource, and of the current metric. */
  private final HeldPart ofResource;

  private final HeldPart ofMetric;

  OtlpProtobuf(OtlpSink sink, Reservation memory) {
    this.sink = sink;
    this.ofResource = new HeldPart(memory);
    this.ofMetric = new HeldPart(memory);
  }

  /**
   * Reads a request. Everything before a malformed part has been passed to the sink. One {@code
   * ResourceMetrics} is held at a time, as a whole, because its resource may follow its metrics.
   *
   * @throws MalformedMessageException if the body is not a valid request
   * @throws dev.varve.server.http.OverBudgetException if it does not fit in memory
   */
  void read(InputStream body) throws IOException {
    WireStream request = new WireStream(body);
    while (request.next()) {
      if (request.field() == 1) {
        byte[] message = request.message(ofResource::hold);
        readResourceMetrics(new WireReader(message));
        ofResource.letGo();
      } else {
        request.skip();
      }
    }
  }

  private void readResourceMetrics(WireReader message) {
    WireReader again = message.again();
    Map<String, String> attributes = new LinkedHashMap<>();
    while (again.next()) {
      if (again.field() == 1) {
        ofResource.hold((long) MEMORY_PER_BYTE * again.lengthAhead());
        readResource(again.message(), attributes);
      } else {
        again.skip();
      }
    }
    ofResource.hold((long) ATTRIBUTE_BYTES * attributes.size());
    sink.resource(attributes);
    while (message.next()) {
      if (message.field() == 2) {
        readScopeMetrics(message.message());
      } else {
        message.skip();
      }
    }
    sink.endOfResource();
  }

  private void readResource(WireReader resource, Map<String, String> into) {
    while (resource.next()) {
      if (resource.field() == 1) {
        readAttribute(resource.message(), into);
      } else {
        resource.skip();
      }
    }
  }

  private void readScopeMetrics(WireReader scope) {
    while (scope.next()) {
      if (scope.field() == 2) {
        ofMetric.hold((long) MEMORY_PER_BYTE * scope.lengthAhead());
        sink.metric(metric(scope.message()));
        ofMetric.letGo();
      } else {
        scope.skip();
      }
    }
  }

  private OtlpMetric metric(WireReader message) {
    String name = "";
    String description = "";
    String unit = "";
    Points points = null;
    while (message.next()) {
      switch (message.field()) {
        case 1 -> name = message.text();
        case 2 -> description = message.text();
        case 3 -> unit = message.text();
        case 5 -> points = gauge(message.message());
        case 7 -> points = sum(message.message());
        case 9 -> points = histogram(message.message());
        case 10 -> points = exponential(message.message());
        case 11 -> points = summary(message.message());
        default -> message.skip();
      }
    }
    return new OtlpMetric(name, description, unit, points);
  }

  private Gauge gauge(WireReader message) {
    List<NumberPoint> points = new ArrayList<>();
    while (message.next()) {
      if (message.field() == 1) {
        points.add(number(message.message()));
      } else {
        message.skip();
      }
    }
    return new Gauge(points);
  }

  private Sum sum(WireReader message) {
    List<NumberPoint> points = new ArrayList<>();
    Temporality temporality = Temporality.UNSPECIFIED;
    boolean monotonic = false;
    while (message.next()) {
      switch (message.field()) {
        case 1 -> points.add(number(message.message()));
        case 2 -> temporality = Temporality.of(message.varint());
        case 3 -> monotonic = message.varint() != 0;
        default -> message.skip();
      }
    }
    return new Sum(temporality, monotonic, points);
  }

  private Histogram histogram(WireReader message) {
    List<HistogramPoint> points = new ArrayList<>();
    Temporality temporality = Temporality.UNSPECIFIED;
    while (message.next()) {
      switch (message.field()) {
        case 1 -> points.add(histogramPoint(message.message()));
        case 2 -> temporality = Temporality.of(message.varint());
        default -> message.skip();
      }
    }
    return new Histogram(temporality, points);
  }

  private static Exponential exponential(WireReader message) {
    int count = 0;
    while (message.next()) {
      count += message.field() == 1 ? 1 : 0;
      message.skip();
    }
    return new Exponential(count);
  }

  private Summary summary(WireReader message) {
    List<SummaryPoint> points = new ArrayList<>();
    while (message.next()) {
      if (message.field() == 1) {
        points.add(summaryPoint(message.message()));
      } else {
        message.skip();
      }
    }
    return new Summary(points);
  }

  private NumberPoint number(WireReader message) {
    ofMetric.hold(POINT_BYTES);
    Map<String, String> attributes = new LinkedHashMap<>();
    long start = 0;
    long time = 0;
    Double value = null;
    long flags = 0;
    while (message.next()) {
      switch (message.field()) {
        case 2 -> start = message.fixed64();
        case 3 -> time = message.fixed64();
        case 4 -> value = message.real();
        case 6 -> value = (double) message.fixed64();
        case 7 -> readAttribute(message.message(), attributes);
        case 8 -> flags = message.varint();
        default -> message.skip();
      }
    }
    return new NumberPoint(attributes, start, time, value, flags);
  }

  private HistogramPoint histogramPoint(WireReader message) {
    ofMetric.hold(POINT_BYTES);
    Map<String, String> attributes = new LinkedHashMap<>();
    long start = 0;
    long time = 0;
    long count = 0;
    Double sum = null;
    LongStream.Builder bucketCounts = LongStream.builder();
    DoubleStream.Builder bounds = DoubleStream.builder();
    long flags = 0;
    while (message.next()) {
      switch (message.field()) {
        case 2 -> start = message.fixed64();
        case 3 -> time = message.fixed64();
        case 4 -> count = message.fixed64();
        case 5 -> sum = message.real();
        case 6 ->
            message.eachFixed64(bits -> {
              ofMetric.hold(NUMBER_BYTES);
              bucketCounts.add(bits);
            });
        case 7 ->
            message.eachFixed64(bits -> {
              ofMetric.hold(NUMBER_BYTES);
              bounds.add(Double.longBitsToDouble(bits));
            });
        case 9 -> readAttribute(message.message(), attributes);
        case 10 -> flags = message.varint();
        default -> message.skip();
      }
    }
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

  private SummaryPoint summaryPoint(WireReader message) {
    ofMetric.hold(POINT_BYTES);
    Map<String, String> attributes = new LinkedHashMap<>();
    List<double[]> quantiles = new ArrayList<>();
    long start = 0;
    long time = 0;
    long count = 0;
    double sum = 0;
    long flags = 0;
    while (message.next()) {
      switch (message.field()) {
        case 2 -> start = message.fixed64();
        case 3 -> time = message.fixed64();
        case 4 -> count = message.fixed64();
        case 5 -> sum = message.real();
        case 6 -> {
          ofMetric.hold(VALUE_BYTES);
          quantiles.add(quantile(message.message()));
        }
        case 7 -> readAttribute(message.message(), attributes);
        case 8 -> flags = message.varint();
        default -> message.skip();
      }
    }
    return new SummaryPoint(
        attributes,
        start,
        time,
        count,
        sum,
        quantiles.stream().mapToDouble(one -> one[0]).toArray(),
        quantiles.stream().mapToDouble(one -> one[1]).toArray(),
        flags);
  }

  /** Reads a quantile and its value. */
  private static double[] quantile(WireReader message) {
    double[] quantile = new double[2];
    while (message.next()) {
      switch (message.field()) {
        case 1 -> quantile[0] = message.real();
        case 2 -> quantile[1] = message.real();
        default -> message.skip();
      }
    }
    return quantile;
  }

  /** The first of several attributes with the same key wins. */
  private void readAttribute(WireReader message, Map<String, String> into) {
    ofMetric.hold(ATTRIBUTE_BYTES);
    String key = "";
    String value = "";
    while (message.next()) {
      switch (message.field()) {
        case 1 -> key = message.text();
        case 2 -> value = AnyText.of(any(message.message(), 0));
        default -> message.skip();
      }
    }
    into.putIfAbsent(key, value);
  }

  /** Returns a value of the types that {@link AnyText} accepts. */
  private @Nullable Object any(WireReader message, int depth) {
    if (depth > AnyText.DEPTH_MAX) {
      throw new MalformedMessageException(
          "an attribute whose value is nested deeper than %d".formatted(AnyText.DEPTH_MAX));
    }
    Object value = null;
    while (message.next()) {
      switch (message.field()) {
        case 1 -> value = message.text();
        case 2 -> value = message.varint() != 0;
        case 3 -> value = message.varint();
        case 4 -> value = message.real();
        case 5 -> value = list(message.message(), depth + 1);
        case 6 -> value = map(message.message(), depth + 1);
        case 7 -> value = Base64.getEncoder().encodeToString(message.bytes());
        default -> message.skip();
      }
    }
    return value;
  }

  private List<@Nullable Object> list(WireReader message, int depth) {
    List<@Nullable Object> list = new ArrayList<>();
    while (message.next()) {
      if (message.field() == 1) {
        ofMetric.hold(VALUE_BYTES);
        list.add(any(message.message(), depth));
      } else {
        message.skip();
      }
    }
    return list;
  }

  private Map<String, @Nullable Object> map(WireReader message, int depth) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    while (message.next()) {
      if (message.field() != 1) {
        message.skip();
        continue;
      }
      ofMetric.hold(ATTRIBUTE_BYTES);
      WireReader entry = message.message();
      String key = "";
      Object value = null;
      while (entry.next()) {
        switch (entry.field()) {
          case 1 -> key = entry.text();
          case 2 -> value = any(entry.message(), depth);
          default -> entry.skip();
        }
      }
      map.putIfAbsent(key, value);
    }
    return map;
  }
}
