package dev.varve.server.opentsdb.expression;

import dev.varve.server.opentsdb.expression.Request.FillPolicy;
import dev.varve.server.opentsdb.expression.Request.Join;
import dev.varve.server.opentsdb.query.ValueFilter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes a request as the answer repeats it: with all members, null where they are missing. */
final class RequestEcho {
  private final JsonGenerator json;

  RequestEcho(JsonGenerator json) {
    this.json = json;
  }

  void write(Request request) {
    json.writeStartObject();
    text("name", request.name());
    json.writeName("time");
    time(request.time());
    json.writeArrayPropertyStart("filters");
    request.filters().forEach(this::filter);
    json.writeEndArray();
    json.writeArrayPropertyStart("metrics");
    request.metrics().forEach(this::metric);
    json.writeEndArray();
    json.writeArrayPropertyStart("expressions");
    request.expressions().forEach(this::expression);
    json.writeEndArray();
    json.writeName("outputs");
    outputs(request.outputs());
    json.writeEndObject();
  }

  private void text(String name, @Nullable String text) {
    json.writeName(name);
    if (text == null) {
      json.writeNull();
    } else {
      json.writeString(text);
    }
  }

  private void time(Request.Span time) {
    json.writeStartObject();
    text("start", time.start());
    text("end", time.end());
    text("timezone", time.timezone());
    json.writeName("downsampler");
    Request.Downsampler spec = time.downsampler();
    if (spec == null) {
      json.writeNull();
    } else {
      json.writeStartObject();
      text("interval", spec.interval());
      text("aggregator", spec.aggregator());
      fill(spec.fill());
      json.writeEndObject();
    }
    text("aggregator", time.aggregator());
    json.writeBooleanProperty("rate", time.rate());
    json.writeEndObject();
  }

  private void fill(@Nullable FillPolicy fill) {
    json.writeName("fillPolicy");
    if (fill == null) {
      json.writeNull();
      return;
    }
    json.writeStartObject();
    json.writeStringProperty("policy", fill.policy().word());
    json.writeNumberProperty("value", fill.value());
    json.writeEndObject();
  }

  private void filter(Request.NamedFilter filter) {
    json.writeStartObject();
    text("id", filter.id());
    json.writeArrayPropertyStart("tags");
    for (ValueFilter tag : filter.tags()) {
      json.writeStartObject();
      json.writeStringProperty("tagk", tag.tagk());
      json.writeStringProperty("filter", tag.filter());
      json.writeBooleanProperty("group_by", tag.groupBy());
      json.writeStringProperty("type", tag.type());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeBooleanProperty("explicitTags", filter.explicitTags());
    json.writeEndObject();
  }

  private void metric(Request.Metric metric) {
    json.writeStartObject();
    text("metric", metric.metric());
    text("id", metric.id());
    text("filter", metric.filter());
    text("aggregator", metric.aggregator());
    text("timeOffset", metric.timeOffset());
    fill(metric.fill());
    json.writeEndObject();
  }

  private void expression(Request.Expression expression) {
    json.writeStartObject();
    text("id", expression.id());
    text("expr", expression.formula());
    Join join = expression.join();
    json.writeObjectPropertyStart("join");
    json.writeStringProperty("operator", join.intersection() ? "intersection" : "union");
    json.writeBooleanProperty("useQueryTags", join.useQueryTags());
    json.writeBooleanProperty("includeAggTags", join.includeAggTags());
    json.writeEndObject();
    fill(expression.fill());
    json.writeEndObject();
  }

  private void outputs(@Nullable List<Request.Output> outputs) {
    if (outputs == null) {
      json.writeNull();
      return;
    }
    json.writeStartArray();
    for (Request.Output output : outputs) {
      json.writeStartObject();
      text("id", output.id());
      text("alias", output.alias());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
