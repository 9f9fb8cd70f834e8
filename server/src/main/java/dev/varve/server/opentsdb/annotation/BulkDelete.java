package dev.varve.server.opentsdb.annotation;

import dev.varve.server.opentsdb.query.JsonBody;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * A request to delete all annotations of a range.
 *
 * @param startTime null if missing
 * @param endTime null for now
 * @param tsuids the series whose annotations are deleted
 * @param global whether annotations of all series are deleted, too
 */
record BulkDelete(
    @Nullable String startTime, @Nullable String endTime, List<String> tsuids, boolean global) {

  static BulkDelete of(JsonBody body) {
    List<String> tsuids = body.texts("tsuids");
    return new BulkDelete(
        body.text("startTime"),
        body.text("endTime"),
        tsuids == null ? List.of() : tsuids,
        body.is("global"));
  }

  /**
   * Reads a request in a URL.
   *
   * @param parameters returns a parameter; null if it is absent
   */
  static BulkDelete inUrl(Function<String, @Nullable String> parameters) {
    String tsuids = parameters.apply("tsuids");
    return new BulkDelete(
        parameters.apply("start_time"),
        parameters.apply("end_time"),
        tsuids == null || tsuids.isEmpty() ? List.of() : Arrays.asList(tsuids.split(",")),
        parameters.apply("global") != null);
  }

  /** Writes the answer, which repeats the request, with times in milliseconds. */
  void write(long from, long to, long deleted, JsonGenerator json) {
    json.writeStartObject();
    json.writeName("tsuids");
    if (tsuids.isEmpty()) {
      json.writeNull();
    } else {
      json.writeStartArray();
      tsuids.forEach(json::writeString);
      json.writeEndArray();
    }
    json.writeBooleanProperty("global", global);
    json.writeNumberProperty("startTime", from);
    json.writeNumberProperty("endTime", to);
    json.writeNumberProperty("totalDeleted", deleted);
    json.writeEndObject();
  }
}
