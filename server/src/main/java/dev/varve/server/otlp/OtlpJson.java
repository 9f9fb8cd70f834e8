package dev.varve.server.otlp;

import dev.varve.formats.json.Json;
import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.server.http.HeldJson;
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
import java.io.InputStream;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonParser.NumberType;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;

/**
 * Reads {@code ExportMetricsServiceRequest} from JSON in <a
 * href="https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding">OTLP's encoding</a>:
 * names in camelCase, 64-bit integers as strings or numbers, enums as numbers or names, doubles as
 * numbers or strings such as {@code "NaN"}. Unknown names are ignored, and so are ids, which only
 * exemplars have. Null means missing.
 */
final class OtlpJson {
  /** JSON is UTF-8 (RFC 8259, 8.1), so the encoding is not detected. */
  private static final int INTEGER_LENGTH_MAX = 50;

  /** Maximum length of a number in quotes, the same as without quotes. */
  private static final int NUMBER_LENGTH_MAX = 1_000;

  private static final Pattern DIGITS = Pattern.compile("\\d{1,20}");
  private static final Pattern NUMBER =
      Pattern.compile("[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?");

  /** Memory of texts, attributes, points and numbers in bytes, without their characters. */
  private static final int TEXT_BYTES = 56;

  /** A text is held as received, as a label value and in the key of its series. */
  private static final int TEXT_PER_CHARACTER = 5;

  private static final int ATTRIBUTE_BYTES = 240;
  private static final int POINT_BYTES = 1_000;
  private static final int METRIC_BYTES = 200;
  private static final int NUMBER_BYTES = 24;
  private static final int VALUE_BYTES = 160;

  private final OtlpSink sink;
  private final Reservation memory;

  /** Memory of the current resource, and of the current metrics. */
  private final HeldPart ofResource;

  private final HeldPart ofMetric;

  OtlpJson(OtlpSink sink, Reservation memory) {
    this.sink = sink;
    this.memory = memory;
    this.ofResource = new HeldPart(memory);
    this.ofMetric = new HeldPart(memory);
  }

  /**
   * Reads a request. Everything before a malformed part has been passed to the sink.
   *
   * @throws MalformedMessageException if the body is not a valid request
   * @throws dev.varve.server.http.OverBudgetException if it does not fit in memory
   */
  void read(InputStream body) {
    try (JsonParser json = HeldJson.of(Json.FACTORY, body, memory)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new MalformedMessageException("no JSON object");
      }
      while (next(json)) {
        if (json.currentName().equals("resourceMetrics")) {
          each(json, this::readResourceMetrics);
        } else {
          skip(json);
        }
      }
      if (json.nextToken() != null) {
        throw new MalformedMessageException("something follows the end of the JSON object");
      }
    } catch (StreamReadException | StreamConstraintsException e) {
      throw new MalformedMessageException(
          "%s (line %d, column %d)"
              .formatted(
                  e.getOriginalMessage(),
                  e.getLocation() == null ? 0 : e.getLocation().getLineNr(),
                  e.getLocation() == null ? 0 : e.getLocation().getColumnNr()));
    }
  }

  /** Advances to the next member of the current object; returns false at its end. */
  private static boolean next(JsonParser json) {
    return json.nextToken() == JsonToken.PROPERTY_NAME;
  }

  private static void skip(JsonParser json) {
    json.nextToken();
    json.skipChildren();
  }

  /** Visits the objects of a list; null counts as an empty list. */
  private static void each(JsonParser json, Consumer<JsonParser> item) {
    String name = json.currentName();
    JsonToken token = json.nextToken();
    if (token == JsonToken.VALUE_NULL) {
      return;
    }
    if (token != JsonToken.START_ARRAY) {
      throw wrong(json, name, "a list");
    }
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (json.currentToken() != JsonToken.START_OBJECT) {
        throw wrong(json, name, "a list of objects");
      }
      item.accept(json);
    }
  }

  /** Enters the object that is the next value; returns false if the value is null. */
  private static boolean enter(JsonParser json) {
    String name = json.currentName();
    JsonToken token = json.nextToken();
    if (token == JsonToken.START_OBJECT) {
      return true;
    }
    if (token == JsonToken.VALUE_NULL) {
      return false;
    }
    throw wrong(json, name, "an object");
  }

  private static MalformedMessageException wrong(
      JsonParser json, @Nullable String name, String wanted) {
    return new MalformedMessageException(
        "'%s' is not %s (line %d, column %d)"
            .formatted(
                name,
                wanted,
                json.currentTokenLocation().getLineNr(),
                json.currentTokenLocation().getColumnNr()));
  }

  /** Metrics that precede their resource are held until it is read. */
  private void readResourceMetrics(JsonParser json) {
    List<OtlpMetric> waiting = new ArrayList<>();
    boolean known = false;
    while (next(json)) {
      switch (json.currentName()) {
        case "resource" -> {
          Map<String, String> attributes = resource(json);
          // Attributes live until the end of the resource, longer than the memory of metrics.
          ofResource.hold(bytes(attributes));
          sink.resource(attributes);
          known = true;
        }
        case "scopeMetrics" -> {
          Consumer<OtlpMetric> metrics = known ? this::take : waiting::add;
          each(json, scope -> readScopeMetrics(scope, metrics));
        }
        default -> skip(json);
      }
    }
    if (!known) {
      sink.resource(Map.of());
    }
    waiting.forEach(sink::metric);
    sink.endOfResource();
    ofMetric.letGo();
    ofResource.letGo();
  }

  private void take(OtlpMetric metric) {
    sink.metric(metric);
    ofMetric.letGo();
  }

  private static long bytes(Map<String, String> attributes) {
    long bytes = 0;
    for (Map.Entry<String, String> attribute : attributes.entrySet()) {
      long characters = attribute.getKey().length() + (long) attribute.getValue().length();
      bytes += ATTRIBUTE_BYTES + TEXT_PER_CHARACTER * characters;
    }
    return bytes;
  }

  private Map<String, String> resource(JsonParser json) {
    Map<String, String> attributes = new LinkedHashMap<>();
    if (enter(json)) {
      while (next(json)) {
        if (json.currentName().equals("attributes")) {
          readAttributes(json, attributes);
        } else {
          skip(json);
        }
      }
    }
    return attributes;
  }

  private void readScopeMetrics(JsonParser json, Consumer<OtlpMetric> metrics) {
    while (next(json)) {
      if (json.currentName().equals("metrics")) {
        each(json, metric -> metrics.accept(metric(metric)));
      } else {
        skip(json);
      }
    }
  }

  private OtlpMetric metric(JsonParser json) {
    ofMetric.hold(METRIC_BYTES);
    String name = "";
    String description = "";
    String unit = "";
    Points points = null;
    while (next(json)) {
      switch (json.currentName()) {
        case "name" -> name = text(json);
        case "description" -> description = text(json);
        case "unit" -> unit = text(json);
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
        default -> skip(json);
      }
    }
    return new OtlpMetric(name, description, unit, points);
  }

  /** Fields common to all kinds of metrics, as far as they are present. */
  private static final class Data {
    private final List<PointFields> points = new ArrayList<>();
    private Temporality temporality = Temporality.UNSPECIFIED;
    private boolean monotonic;

    <T> List<T> each(Function<PointFields, T> kind) {
      return points.stream().map(kind).toList();
    }
  }

  private Data data(JsonParser json) {
    Data data = new Data();
    if (enter(json)) {
      while (next(json)) {
        switch (json.currentName()) {
          case "dataPoints" -> each(json, point -> data.points.add(point(point)));
          case "aggregationTemporality" -> data.temporality = temporality(json);
          case "isMonotonic" -> data.monotonic = bool(json);
          default -> skip(json);
        }
      }
    }
    return data;
  }

  /** Fields common to all kinds of points, as far as they are present. */
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

  private PointFields point(JsonParser json) {
    ofMetric.hold(POINT_BYTES);
    PointFields point = new PointFields();
    while (next(json)) {
      switch (json.currentName()) {
        case "attributes" -> readAttributes(json, point.attributes);
        case "startTimeUnixNano" -> point.start = integer(json);
        case "timeUnixNano" -> point.time = integer(json);
        case "flags" -> point.flags = integer(json);
        case "asDouble" -> point.value = optionalReal(json, point.value);
        case "asInt" -> point.value = optionalInteger(json, point.value);
        case "count" -> point.count = integer(json);
        case "sum" -> point.sum = optionalReal(json, point.sum);
        case "bucketCounts" -> eachNumber(json, () -> point.bucketCounts.add(integerHere(json)));
        case "explicitBounds" -> eachNumber(json, () -> point.bounds.add(realHere(json)));
        case "quantileValues" -> each(json, quantile -> readQuantile(quantile, point));
        default -> skip(json);
      }
    }
    return point;
  }

  private void readQuantile(JsonParser json, PointFields into) {
    double quantile = 0;
    double value = 0;
    while (next(json)) {
      switch (json.currentName()) {
        case "quantile" -> quantile = real(json);
        case "value" -> value = real(json);
        default -> skip(json);
      }
    }
    ofMetric.hold(2 * NUMBER_BYTES);
    into.quantiles.add(quantile);
    into.values.add(value);
  }

  /** The first of several attributes with the same key wins. */
  private void readAttributes(JsonParser json, Map<String, String> into) {
    each(
        json,
        attribute -> {
          ofMetric.hold(ATTRIBUTE_BYTES);
          String key = "";
          String value = "";
          while (next(attribute)) {
            switch (attribute.currentName()) {
              case "key" -> key = text(attribute);
              case "value" -> value = AnyText.of(any(attribute, 0));
              default -> skip(attribute);
            }
          }
          into.putIfAbsent(key, value);
        });
  }

  /** Returns a value of the types that {@link AnyText} accepts. */
  private @Nullable Object any(JsonParser json, int depth) {
    if (depth > AnyText.DEPTH_MAX) {
      throw new MalformedMessageException(
          "an attribute whose value is nested deeper than %d".formatted(AnyText.DEPTH_MAX));
    }
    return enter(json) ? anyHere(json, depth) : null;
  }

  /** Reads the value after its object has been entered. */
  private @Nullable Object anyHere(JsonParser json, int depth) {
    ofMetric.hold(VALUE_BYTES);
    Object value = null;
    while (next(json)) {
      switch (json.currentName()) {
        case "stringValue", "bytesValue" -> value = text(json);
        case "boolValue" -> value = bool(json);
        case "intValue" -> value = integer(json);
        case "doubleValue" -> value = real(json);
        case "arrayValue" -> value = list(json, depth + 1);
        case "kvlistValue" -> value = map(json, depth + 1);
        default -> skip(json);
      }
    }
    return value;
  }

  private List<@Nullable Object> list(JsonParser json, int depth) {
    List<@Nullable Object> list = new ArrayList<>();
    if (enter(json)) {
      while (next(json)) {
        if (json.currentName().equals("values")) {
          each(json, item -> list.add(checked(item, depth)));
        } else {
          skip(json);
        }
      }
    }
    return list;
  }

  private @Nullable Object checked(JsonParser json, int depth) {
    if (depth > AnyText.DEPTH_MAX) {
      throw new MalformedMessageException(
          "an attribute whose value is nested deeper than %d".formatted(AnyText.DEPTH_MAX));
    }
    return anyHere(json, depth);
  }

  private Map<String, @Nullable Object> map(JsonParser json, int depth) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    if (enter(json)) {
      while (next(json)) {
        if (json.currentName().equals("values")) {
          each(json, entry -> readEntry(entry, depth, map));
        } else {
          skip(json);
        }
      }
    }
    return map;
  }

  private void readEntry(JsonParser json, int depth, Map<String, @Nullable Object> into) {
    ofMetric.hold(VALUE_BYTES);
    String key = "";
    Object value = null;
    while (next(json)) {
      switch (json.currentName()) {
        case "key" -> key = text(json);
        case "value" -> value = any(json, depth);
        default -> skip(json);
      }
    }
    into.putIfAbsent(key, value);
  }

  private String text(JsonParser json) {
    String name = json.currentName();
    return switch (json.nextToken()) {
      case VALUE_STRING -> {
        String text = json.getString();
        ofMetric.hold(TEXT_BYTES + (long) TEXT_PER_CHARACTER * text.length());
        yield text;
      }
      case VALUE_NULL -> "";
      default -> throw wrong(json, name, "a text");
    };
  }

  private static boolean bool(JsonParser json) {
    String name = json.currentName();
    return switch (json.nextToken()) {
      case VALUE_TRUE -> true;
      case VALUE_FALSE, VALUE_NULL -> false;
      default -> throw wrong(json, name, "true or false");
    };
  }

  private static Temporality temporality(JsonParser json) {
    String name = json.currentName();
    return switch (json.nextToken()) {
      case VALUE_NUMBER_INT -> Temporality.of(integerHere(json));
      case VALUE_STRING ->
          switch (json.getString()) {
            case "AGGREGATION_TEMPORALITY_DELTA" -> Temporality.DELTA;
            case "AGGREGATION_TEMPORALITY_CUMULATIVE" -> Temporality.CUMULATIVE;
            default -> Temporality.UNSPECIFIED;
          };
      case VALUE_NULL -> Temporality.UNSPECIFIED;
      default -> throw wrong(json, name, "the number of a temporality");
    };
  }

  /** Reads a signed or unsigned 64-bit integer; 0 for null. */
  private static long integer(JsonParser json) {
    return json.nextToken() == JsonToken.VALUE_NULL ? 0 : integerHere(json);
  }

  private static @Nullable Double optionalInteger(JsonParser json, @Nullable Double otherwise) {
    return json.nextToken() == JsonToken.VALUE_NULL
        ? otherwise
        : (Double) (double) integerHere(json);
  }

  private static long integerHere(JsonParser json) {
    JsonToken token = json.currentToken();
    if (token == JsonToken.VALUE_NUMBER_INT && json.getNumberType() != NumberType.BIG_INTEGER) {
      return json.getLongValue();
    }
    if (token != JsonToken.VALUE_STRING && !token.isNumeric()) {
      throw wrong(json, json.currentName(), "an integer");
    }
    String text = json.getString();
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return largeOrOdd(json, text);
    }
  }

  /** Parses an unsigned integer beyond the signed range, or one written like {@code 1e3}. */
  private static long largeOrOdd(JsonParser json, String text) {
    if (text.length() > INTEGER_LENGTH_MAX) {
      throw wrong(json, start(text), "an integer of 64 bits");
    }
    try {
      return DIGITS.matcher(text).matches()
          ? Long.parseUnsignedLong(text)
          : new BigDecimal(text).longValueExact();
    } catch (ArithmeticException | NumberFormatException e) {
      throw wrong(json, text, "an integer of 64 bits");
    }
  }

  private static String start(String text) {
    return text.length() <= INTEGER_LENGTH_MAX
        ? text
        : text.substring(0, INTEGER_LENGTH_MAX) + "...";
  }

  private static double real(JsonParser json) {
    return json.nextToken() == JsonToken.VALUE_NULL ? 0 : realHere(json);
  }

  private static @Nullable Double optionalReal(JsonParser json, @Nullable Double otherwise) {
    return json.nextToken() == JsonToken.VALUE_NULL ? otherwise : (Double) realHere(json);
  }

  private static double realHere(JsonParser json) {
    JsonToken token = json.currentToken();
    if (token.isNumeric()) {
      return json.getDoubleValue();
    }
    if (token != JsonToken.VALUE_STRING) {
      throw wrong(json, json.currentName(), "a number");
    }
    String text = json.getString();
    return switch (text) {
      case "NaN" -> Double.NaN;
      case "Infinity" -> Double.POSITIVE_INFINITY;
      case "-Infinity" -> Double.NEGATIVE_INFINITY;
      default -> {
        if (text.length() > NUMBER_LENGTH_MAX || !NUMBER.matcher(text).matches()) {
          throw wrong(json, start(text), "a number");
        }
        yield Double.parseDouble(text);
      }
    };
  }

  /** Visits the numbers of a list; null counts as an empty list. */
  private void eachNumber(JsonParser json, Runnable item) {
    String name = json.currentName();
    JsonToken token = json.nextToken();
    if (token == JsonToken.VALUE_NULL) {
      return;
    }
    if (token != JsonToken.START_ARRAY) {
      throw wrong(json, name, "a list of numbers");
    }
    while (json.nextToken() != JsonToken.END_ARRAY) {
      ofMetric.hold(NUMBER_BYTES);
      item.run();
    }
  }
}
