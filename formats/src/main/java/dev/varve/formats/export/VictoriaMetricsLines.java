package dev.varve.formats.export;

import dev.varve.formats.json.Json;
import dev.varve.formats.text.BadLineException;
import dev.varve.formats.text.LineFormat;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads VictoriaMetrics' JSON lines, {@code
 * {"metric":{"__name__":"m"},"values":[1],"timestamps":[0]}} with times in ms. Values become
 * doubles, except for integers that no double equals. null is a staleness marker, which is what
 * VictoriaMetrics has for null most often; "NaN" is a value. {@code __field__} names a field.
 */
public final class VictoriaMetricsLines implements LineFormat {
  private final Resolution target;
  private final Map<String, String> given;

  /**
   * A value: a double, or an integer that no double equals.
   *
   * @param whole whether {@code integer} has the value instead of {@code real}
   */
  private record Parsed(boolean whole, long integer, double real) {}

  /**
   * Creates a reader.
   *
   * @param target the resolution of the dataset
   * @param given labels that every series gets; they replace its own labels of the same names
   */
  public VictoriaMetricsLines(Resolution target, Map<String, String> given) {
    this.target = target;
    this.given = Map.copyOf(given);
  }

  @Override
  public void read(byte[] bytes, int from, int to, BatchBuilder into) {
    read(new String(bytes, from, to - from, StandardCharsets.UTF_8), into);
  }

  private void read(String line, BatchBuilder into) {
    if (line.isBlank()) {
      return;
    }
    Map<String, String> labels = new TreeMap<>();
    List<Parsed> values = new ArrayList<>();
    List<Long> times = new ArrayList<>();
    try (JsonParser json = Json.parser(line)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new BadLineException("the line is no JSON object");
      }
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = json.currentName();
        json.nextToken();
        switch (name) {
          case "metric" -> readLabels(json, labels);
          case "values" -> readValues(json, values);
          case "timestamps" -> readTimes(json, times);
          default -> json.skipChildren();
        }
      }
    } catch (JacksonException e) {
      throw new BadLineException("the line is not JSON: " + e.getOriginalMessage());
    }
    add(labels, values, times, into);
  }

  private void add(
      Map<String, String> labels, List<Parsed> values, List<Long> times, BatchBuilder into) {
    labels.putAll(given);
    labels.values().removeIf(String::isEmpty);
    String metric = labels.remove(Series.NAME_LABEL);
    if (metric == null) {
      throw new BadLineException("\"metric\" has no \"__name__\"");
    }
    if (values.size() != times.size()) {
      throw new BadLineException(
          "there are %,d values and %,d timestamps".formatted(values.size(), times.size()));
    }
    String named = labels.remove(Series.FIELD_LABEL);
    String field = named == null ? Series.DEFAULT_FIELD : named;
    BatchBuilder.GroupBuilder group = into.group(GroupKey.of(metric, Tags.of(labels)));
    for (int i = 0; i < values.size(); i++) {
      Parsed value = values.get(i);
      if (value.whole()) {
        group.add(field, times.get(i), value.integer());
      } else {
        group.add(field, times.get(i), value.real());
      }
    }
  }

  private static void readLabels(JsonParser json, Map<String, String> labels) {
    expect(json, JsonToken.START_OBJECT, "\"metric\" is an object of labels");
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = json.currentName();
      if (json.nextToken() != JsonToken.VALUE_STRING) {
        throw new BadLineException("label '" + name + "' is no string");
      }
      labels.put(name, json.getString());
    }
  }

  private static void readValues(JsonParser json, List<Parsed> values) {
    expect(json, JsonToken.START_ARRAY, "\"values\" is an array of numbers");
    while (json.nextToken() != JsonToken.END_ARRAY) {
      values.add(
          switch (json.currentToken()) {
            case VALUE_NUMBER_INT -> integer(json.getString());
            case VALUE_NUMBER_FLOAT -> real(Double.parseDouble(json.getString()));
            case VALUE_NULL -> real(StaleMarker.VALUE);
            case VALUE_STRING -> real(special(json.getString()));
            default -> throw new BadLineException("\"values\" is an array of numbers");
          });
    }
  }

  private static Parsed integer(String digits) {
    double real = Double.parseDouble(digits);
    try {
      long integer = Long.parseLong(digits);
      boolean equal = (long) real == integer && Math.abs(real) < 0x1p63;
      return new Parsed(!equal, integer, real);
    } catch (NumberFormatException e) {
      return real(real);
    }
  }

  private static Parsed real(double value) {
    return new Parsed(false, 0, value);
  }

  private static double special(String text) {
    return switch (text) {
      case "NaN" -> Double.NaN;
      case "Infinity", "+Infinity", "Inf", "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Infinity", "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> throw new BadLineException("'" + text + "' is no number");
    };
  }

  private void readTimes(JsonParser json, List<Long> times) {
    expect(json, JsonToken.START_ARRAY, "\"timestamps\" is an array of milliseconds");
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
        throw new BadLineException("\"timestamps\" is an array of milliseconds");
      }
      try {
        times.add(Resolution.MILLISECONDS.convert(Long.parseLong(json.getString()), target));
      } catch (NumberFormatException | ArithmeticException e) {
        throw new BadLineException("a timestamp is too large for " + target.symbol());
      }
    }
  }

  private static void expect(JsonParser json, JsonToken token, String otherwise) {
    if (json.currentToken() != token) {
      throw new BadLineException(otherwise);
    }
  }
}
