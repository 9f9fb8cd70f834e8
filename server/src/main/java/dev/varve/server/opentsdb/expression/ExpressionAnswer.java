package dev.varve.server.opentsdb.expression;

import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.expression.Request.Expression;
import dev.varve.server.opentsdb.expression.Request.Output;
import dev.varve.server.opentsdb.expression.Variables.Column;
import dev.varve.server.opentsdb.expression.Variables.Walk;
import dev.varve.server.opentsdb.query.TsQuery;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import tools.jackson.core.JsonGenerator;

/** Writes the answer to {@code /api/query/exp}. */
final class ExpressionAnswer {
  private final JsonGenerator json;
  private final Request request;
  private final TsQuery.Checked query;
  private final QueryUse use;

  ExpressionAnswer(JsonGenerator json, Request request, TsQuery.Checked query, QueryUse use) {
    this.json = json;
    this.request = request;
    this.query = query;
    this.use = use;
  }

  void write(Map<String, Variables> known) {
    json.writeStartObject();
    json.writeArrayPropertyStart("outputs");
    for (Output output : outputs()) {
      Variables variables = known.get(output.id());
      if (variables != null) {
        write(output, variables);
      }
    }
    json.writeEndArray();
    json.writeName("query");
    new RequestEcho(json).write(request);
    json.writeEndObject();
  }

  private List<Output> outputs() {
    List<Output> asked = request.outputs();
    if (asked != null && !asked.isEmpty()) {
      return asked;
    }
    return request.expressions().isEmpty()
        ? request.metrics().stream().map(metric -> new Output(metric.id(), null)).toList()
        : request.expressions().stream().map(one -> new Output(one.id(), null)).toList();
  }

  private void write(Output output, Variables variables) {
    json.writeStartObject();
    json.writeStringProperty("id", output.id());
    if (output.alias() != null) {
      json.writeStringProperty("alias", output.alias());
    }
    boolean computed =
        request.expressions().stream()
            .map(Expression::id)
            .anyMatch(id -> Objects.equals(id, output.id()));
    List<Column> series = variables.series();
    Range range = points(series, computed);
    json.writeObjectPropertyStart("dpsMeta");
    json.writeNumberProperty("firstTimestamp", range.first());
    json.writeNumberProperty("lastTimestamp", range.last());
    json.writeNumberProperty("setCount", range.count());
    json.writeNumberProperty("series", series.size());
    json.writeEndObject();
    if (!series.isEmpty()) {
      meta(series);
    }
    json.writeEndObject();
  }

  /** The times of the points that were written. */
  private record Range(long first, long last, long count) {}

  /**
   * Writes the points of all series by time.
   *
   * @param computed whether they are the result of a formula, which is cut to the requested range;
   *     the results of a metric are not, as in OpenTSDB
   */
  private Range points(List<Column> series, boolean computed) {
    json.writeArrayPropertyStart("dps");
    List<Walk> walks = series.stream().map(column -> new Walk(column.points())).toList();
    long first = -1;
    long last = 0;
    long count = 0;
    for (long time = earliest(walks); time != Long.MAX_VALUE; time = earliest(walks)) {
      boolean shown = !computed || (time >= query.start() && time <= query.end());
      if (shown) {
        json.writeStartArray();
        json.writeNumber(time);
        // Of a formula, OpenTSDB names the last time only from the second point on.
        last = computed && count == 0 ? 0 : time;
        first = count++ == 0 ? time : first;
        use.pointsReturned(series.size());
      }
      for (Walk walk : walks) {
        double value = walk.take(time, 0);
        if (shown) {
          json.writeNumber(value);
        }
      }
      if (shown) {
        json.writeEndArray();
      }
    }
    json.writeEndArray();
    long none = computed ? 0 : Long.MAX_VALUE;
    return new Range(count == 0 ? none : first, last, count);
  }

  private static long earliest(List<Walk> walks) {
    return walks.stream().mapToLong(Walk::next).min().orElse(Long.MAX_VALUE);
  }

  private void meta(List<Column> series) {
    json.writeArrayPropertyStart("meta");
    json.writeStartObject();
    json.writeNumberProperty("index", 0);
    json.writeArrayPropertyStart("metrics");
    json.writeString("timestamp");
    json.writeEndArray();
    json.writeEndObject();
    for (int i = 0; i < series.size(); i++) {
      json.writeStartObject();
      json.writeNumberProperty("index", i + 1);
      json.writeArrayPropertyStart("metrics");
      series.getFirst().metrics().forEach(json::writeString);
      json.writeEndArray();
      json.writeObjectPropertyStart("commonTags");
      series.get(i).tags().forEach(json::writeStringProperty);
      json.writeEndObject();
      json.writeArrayPropertyStart("aggregatedTags");
      series.get(i).aggregateTags().forEach(json::writeString);
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
