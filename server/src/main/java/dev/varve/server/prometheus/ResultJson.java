package dev.varve.server.prometheus;

import dev.varve.query.promql.eval.Labels;
import dev.varve.query.promql.eval.PromResult;
import dev.varve.query.running.QueryUse;
import tools.jackson.core.JsonGenerator;

/** Writes query results in Prometheus' format: times in seconds, values as strings. */
final class ResultJson {
  private static final int POINTS_BETWEEN = 4096;

  private ResultJson() {}

  /**
   * Writes the data of an answer.
   *
   * @param limit maximum number of series; 0 for all
   * @param use polled between series and points; throws if the query was stopped
   */
  static void write(PromResult result, int limit, JsonGenerator json, QueryUse use) {
    json.writeStartObject();
    json.writeStringProperty("resultType", type(result));
    json.writeName("result");
    switch (result) {
      case PromResult.Scalar scalar -> new PointText().number(scalar.time(), scalar.value(), json);
      case PromResult.Text text -> new PointText().text(text.time(), text.text(), json);
      case PromResult.Vector vector -> {
        json.writeStartArray();
        PointText point = new PointText();
        for (int i = 0; i < shown(vector.elements().size(), limit); i++) {
          use.ensureWanted();
          PromResult.Element element = vector.elements().get(i);
          json.writeStartObject();
          metric(element.labels(), json);
          json.writeName("value");
          point.number(vector.time(), element.value(), json);
          json.writeEndObject();
        }
        json.writeEndArray();
      }
      case PromResult.Matrix matrix -> {
        json.writeStartArray();
        PointText point = new PointText();
        for (int i = 0; i < shown(matrix.lines().size(), limit); i++) {
          line(matrix.lines().get(i), point, json, use);
        }
        json.writeEndArray();
      }
    }
    json.writeEndObject();
  }

  static int shown(int size, int limit) {
    return limit == 0 ? size : Math.min(size, limit);
  }

  /** Returns the number of series of a result. */
  static int size(PromResult result) {
    return switch (result) {
      case PromResult.Vector vector -> vector.elements().size();
      case PromResult.Matrix matrix -> matrix.lines().size();
      case PromResult.Scalar _, PromResult.Text _ -> 1;
    };
  }

  private static String type(PromResult result) {
    return switch (result) {
      case PromResult.Scalar scalar -> "scalar";
      case PromResult.Text text -> "string";
      case PromResult.Vector vector -> "vector";
      case PromResult.Matrix matrix -> "matrix";
    };
  }

  private static void line(
      PromResult.Line line, PointText point, JsonGenerator json, QueryUse use) {
    json.writeStartObject();
    metric(line.labels(), json);
    json.writeArrayPropertyStart("values");
    int count = line.times().length;
    for (int from = 0; from < count; from += POINTS_BETWEEN) {
      use.ensureWanted();
      int to = Math.min(count, from + POINTS_BETWEEN);
      point.numbers(line.times(), line.values(), from, to, json);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void metric(Labels labels, JsonGenerator json) {
    json.writeObjectPropertyStart("metric");
    labels.forEach(json::writeStringProperty);
    json.writeEndObject();
  }
}
