package dev.varve.bench.compare;

import dev.varve.formats.json.Json;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * An answer of Prometheus' query API.
 *
 * @param series by labels: times in seconds and values in turn
 */
record Answer(Map<String, double[]> series) {
  /** Maximum relative difference of two values that count as equal. */
  static final double AGREEMENT = 1e-9;

  /** Label of the metric in a union, which cannot keep the metric's own label. */
  private static final String METRIC = "metric";

  /** Reads the text of an answer, a matrix or a vector. */
  static Answer of(String text) {
    Map<String, double[]> series = new HashMap<>();
    try (JsonParser json = Json.parser(text)) {
      while (json.nextToken() != null) {
        if (json.currentToken() == JsonToken.PROPERTY_NAME && json.currentName().equals("result")) {
          json.nextToken();
          while (json.nextToken() == JsonToken.START_OBJECT) {
            readSeries(json, series);
          }
        }
      }
    }
    return new Answer(series);
  }

  private static void readSeries(JsonParser json, Map<String, double[]> series) {
    TreeMap<String, String> labels = new TreeMap<>();
    double[] points = new double[16];
    int length = 0;
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      boolean metric = json.currentName().equals("metric");
      json.nextToken();
      if (metric) {
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
          String name = json.currentName();
          json.nextToken();
          labels.put(name.equals(METRIC) ? "__name__" : name, json.getString());
        }
        continue;
      }
      // [time, "value"], alone or in an array.
      for (int depth = 1; depth > 0; ) {
        switch (json.nextToken()) {
          case START_ARRAY -> depth++;
          case END_ARRAY -> depth--;
          default -> {
            if (length == points.length) {
              points = Arrays.copyOf(points, 2 * length);
            }
            points[length++] = number(json.getString());
          }
        }
      }
    }
    series.put(labels.toString(), Arrays.copyOf(points, length));
  }

  private static double number(String text) {
    return switch (text) {
      case "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }

  long points() {
    return series.values().stream().mapToLong(points -> points.length / 2).sum();
  }

  /**
   * Returns the greatest relative difference of two values at the same place, or infinity if series
   * or times differ.
   */
  double difference(Answer other) {
    if (!series.keySet().equals(other.series.keySet())) {
      return Double.POSITIVE_INFINITY;
    }
    double greatest = 0;
    for (Map.Entry<String, double[]> one : series.entrySet()) {
      double[] mine = one.getValue();
      double[] others = other.series.getOrDefault(one.getKey(), mine);
      if (mine.length != others.length) {
        return Double.POSITIVE_INFINITY;
      }
      for (int i = 0; i < mine.length; i += 2) {
        if (mine[i] != others[i]) {
          return Double.POSITIVE_INFINITY;
        }
        greatest = Math.max(greatest, difference(mine[i + 1], others[i + 1]));
      }
    }
    return greatest;
  }

  private static double difference(double one, double other) {
    if (Double.compare(one, other) == 0 || one == other) {
      return 0;
    }
    double difference = Math.abs(one - other) / Math.max(Math.abs(one), Math.abs(other));
    return Double.isNaN(difference) ? Double.POSITIVE_INFINITY : difference;
  }
}
