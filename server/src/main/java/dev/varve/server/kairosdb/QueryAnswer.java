package dev.varve.server.kairosdb;

import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.query.QueryRun;
import dev.varve.query.ResultSeries;
import dev.varve.query.ResultSink;
import dev.varve.query.running.QueryUse;
import dev.varve.server.kairosdb.QueryRequest.Grouping;
import dev.varve.server.kairosdb.QueryRequest.MetricQuery;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Streams the result of one metric. If the samples did not fit into memory at once, their number
 * and the tags of a group are known, and written, last.
 */
final class QueryAnswer implements ResultSink {
  /** Memory of a value in a sorted set in addition to its characters, in bytes. */
  private static final long VALUE_BYTES = 100;

  private final QueryUse use;
  private final JsonGenerator json;
  private final MetricQuery query;
  private final QueryRun run;
  private final Resolution resolution;
  private @Nullable ResultSeries series;
  private boolean begun;

  QueryAnswer(
      JsonGenerator json, MetricQuery query, QueryRun run, Resolution resolution, QueryUse use) {
    this.use = use;
    this.json = json;
    this.query = query;
    this.run = run;
    this.resolution = resolution;
  }

  /**
   * Runs the query and writes its object.
   *
   * @param saved receives what the query also saves; finished before the object ends
   */
  void write(List<SavedPoints> saved) {
    json.writeStartObject();
    run.into(this, saved);
    saved.forEach(SavedPoints::finish);
    if (!begun) {
      openResults();
    }
    json.writeEndArray();
    if (!run.countedAhead()) {
      json.writeNumberProperty("sample_size", run.samples());
    }
    json.writeEndObject();
  }

  private void openResults() {
    begun = true;
    if (run.countedAhead()) {
      json.writeNumberProperty("sample_size", run.samples());
    }
    json.writeArrayPropertyStart("results");
  }

  @Override
  public void begin(ResultSeries one) {
    if (!begun) {
      openResults();
    }
    series = one;
    json.writeStartObject();
    json.writeStringProperty("name", query.name());
    if (!one.sources().isEmpty()) {
      writeGroupBy(one);
    }
    if (run.countedAhead()) {
      writeTags(one);
    }
    json.writeArrayPropertyStart("values");
  }

  private void writeGroupBy(ResultSeries one) {
    json.writeArrayPropertyStart("group_by");
    List<Grouping> groupings = query.groupBy().groupings();
    for (int i = 0; i < groupings.size(); i++) {
      Grouping grouping = groupings.get(i);
      json.writeStartObject();
      json.writeStringProperty("name", grouping.name());
      grouping.block().forEach(this::writeProperty);
      json.writeObjectPropertyStart("group");
      json.writeNumberProperty(grouping.group(), one.parts().get(i));
      json.writeEndObject();
      json.writeEndObject();
    }
    List<String> groupTags = query.groupBy().tags();
    if (!groupTags.isEmpty()) {
      json.writeStartObject();
      json.writeStringProperty("name", "tag");
      json.writeArrayPropertyStart("tags");
      groupTags.forEach(json::writeString);
      json.writeEndArray();
      json.writeObjectPropertyStart("group");
      one.labels().forEach(json::writeStringProperty);
      json.writeEndObject();
      json.writeEndObject();
    }
    json.writeStartObject();
    json.writeStringProperty("name", "type");
    json.writeStringProperty("type", one.textStored() ? "text" : "number");
    json.writeEndObject();
    json.writeEndArray();
  }

  private void writeProperty(String name, @Nullable Object value) {
    json.writeName(name);
    writeValue(value);
  }

  private void writeValue(@Nullable Object value) {
    switch (value) {
      case null -> json.writeNull();
      case Map<?, ?> map -> {
        json.writeStartObject();
        map.forEach((name, inner) -> writeProperty((String) name, inner));
        json.writeEndObject();
      }
      case List<?> list -> {
        json.writeStartArray();
        list.forEach(this::writeValue);
        json.writeEndArray();
      }
      case Double number -> writeDouble(number);
      case Number number -> json.writeNumber(number.longValue());
      default -> json.writeString(value.toString());
    }
  }

  private void writeTags(ResultSeries one) {
    if (!query.excludeTags()) {
      writeTags(json, one.sources().stream(), use);
    }
  }

  /** Writes all tags of the series, each with its values, sorted. */
  static void writeTags(JsonGenerator json, Stream<Series> sources, QueryUse use) {
    Map<String, TreeSet<String>> tags = new TreeMap<>();
    AtomicLong held = new AtomicLong();
    sources.forEach(source ->
        source
            .labels()
            .forEach((name, value) -> {
              if (tags.computeIfAbsent(name, n -> new TreeSet<>()).add(value)) {
                long bytes = VALUE_BYTES + 2L * value.length();
                use.held(bytes, "values of tags");
                held.addAndGet(bytes);
              }
            }));
    json.writeObjectPropertyStart("tags");
    tags.forEach((name, values) -> {
      json.writeArrayPropertyStart(name);
      values.forEach(json::writeString);
      json.writeEndArray();
    });
    json.writeEndObject();
    use.released(held.get());
  }

  @Override
  public void samples(Samples samples, int from, int to) {
    for (int i = from; i < to; i++) {
      json.writeStartArray();
      json.writeNumber(millis(samples.time(i)));
      switch (samples.kind()) {
        case INT64 -> json.writeNumber(samples.longAt(i));
        case DOUBLE -> writeDouble(samples.doubleAt(i));
        case STRING -> json.writeString(samples.textAt(i));
      }
      json.writeEndArray();
    }
  }

  @Override
  public void gap(long time) {
    json.writeStartArray();
    json.writeNumber(millis(time));
    json.writeNull();
    json.writeEndArray();
  }

  private long millis(long time) {
    return resolution == Resolution.MILLISECONDS
        ? time
        : resolution.convert(time, Resolution.MILLISECONDS);
  }

  private void writeDouble(double value) {
    if (Double.isFinite(value)) {
      json.writeNumber(number(value));
    } else {
      json.writeNull();
    }
  }

  /**
   * Formats a number as org.json does: without an exponent, trailing zeros and a trailing decimal
   * point are removed.
   */
  static String number(double value) {
    String text = Double.toString(value);
    if (text.indexOf('E') >= 0) {
      return text;
    }
    int end = text.length();
    while (text.charAt(end - 1) == '0') {
      end--;
    }
    if (text.charAt(end - 1) == '.') {
      end--;
    }
    return text.substring(0, end);
  }

  @Override
  public void end() {
    json.writeEndArray();
    if (!run.countedAhead()) {
      writeTags(Objects.requireNonNull(series));
    }
    json.writeEndObject();
  }
}
