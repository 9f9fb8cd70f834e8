package dev.varve.server.kairosdb;

import dev.varve.formats.json.Json;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.kairosdb.Properties.Length;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * The state of a roll-up task. Times are in ms since 1970.
 *
 * @param next the time at which the task is due
 * @param done the time up to which everything has been rolled up; 0 before the first execution
 * @param host the server of the last execution; empty before the first
 * @param queries results of the last execution, in the order of the task
 */
record RollupStatus(long next, long done, String host, List<OfQuery> queries) {
  /** The status of a task that has not run. */
  static final RollupStatus NEW = new RollupStatus(0, 0, "", List.of());

  private static final long NEVER = Long.MAX_VALUE;

  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("dd MMM yyyy KK:mm:ss a", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);

  RollupStatus {
    queries = List.copyOf(queries);
  }

  /**
   * The last execution of one query.
   *
   * @param at the time at which it ended
   * @param took its duration in ms
   * @param error null if it succeeded
   */
  record OfQuery(String metric, long at, long points, long took, @Nullable String error) {}

  /**
   * Returns the next time at which a task is due, in ms since 1970.
   *
   * @param due the last time at which it was due, in ms since 1970
   * @param now in ms since 1970
   * @return the first time of the schedule after now
   */
  static long next(long due, Length interval, long now) {
    ZonedDateTime first = utc(due);
    try {
      long elapsed = Math.max(0, interval.unit().unit().between(first, utc(now)));
      long steps = elapsed / interval.count();
      ZonedDateTime next = first.plus(steps * interval.count(), interval.unit().unit());
      while (next.toInstant().toEpochMilli() <= now) {
        next = next.plus(interval.count(), interval.unit().unit());
      }
      return next.toInstant().toEpochMilli();
    } catch (DateTimeException | ArithmeticException e) {
      // No calendar reaches that far.
      return NEVER;
    }
  }

  private static ZonedDateTime utc(long time) {
    return Instant.ofEpochMilli(time).atZone(ZoneOffset.UTC);
  }

  /** Returns the same status with another time at which the task is due. */
  RollupStatus due(long at) {
    return new RollupStatus(at, done, host, queries);
  }

  private static String date(long time) {
    return time == 0 || time == NEVER ? "Never" : DATE.format(Instant.ofEpochMilli(time));
  }

  /** Returns the answer of the API. */
  String shown() {
    return Json.object(json -> {
      json.writeArrayPropertyStart("statuses");
      for (OfQuery query : queries) {
        json.writeStartObject();
        json.writeStringProperty("metric_name", query.metric());
        json.writeStringProperty("last_executed", date(query.at()));
        json.writeNumberProperty("data_point_count", query.points());
        json.writeNumberProperty("execution_length", query.took());
        if (query.error() != null) {
          json.writeStringProperty("error_message", query.error());
        }
        json.writeNumberProperty("last_execution_time", query.at());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeStringProperty("executing_host", host);
      json.writeStringProperty("next_scheduled", date(next));
    });
  }

  /** Returns the text that {@link #read} reads. */
  String stored() {
    return Json.object(json -> {
      json.writeNumberProperty("next", next);
      json.writeNumberProperty("done", done);
      json.writeStringProperty("host", host);
      json.writeArrayPropertyStart("queries");
      queries.forEach(query -> write(query, json));
      json.writeEndArray();
    });
  }

  private static void write(OfQuery query, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("metric", query.metric());
    json.writeNumberProperty("at", query.at());
    json.writeNumberProperty("points", query.points());
    json.writeNumberProperty("took", query.took());
    if (query.error() != null) {
      json.writeStringProperty("error", query.error());
    }
    json.writeEndObject();
  }

  /** Reads a stored status. */
  static RollupStatus read(String text) {
    Map<String, @Nullable Object> fields =
        Properties.object(
            JsonTree.read(text.getBytes(StandardCharsets.UTF_8), WriteBudget.unlimited()));
    List<OfQuery> queries = new ArrayList<>();
    for (Object one : Properties.array(fields.get("queries"))) {
      Map<String, @Nullable Object> query = Properties.object(one);
      queries.add(
          new OfQuery(
              text(query, "metric"),
              number(query, "at"),
              number(query, "points"),
              number(query, "took"),
              FieldValue.constant(query.get("error"))));
    }
    return new RollupStatus(
        number(fields, "next"), number(fields, "done"), text(fields, "host"), queries);
  }

  private static String text(Map<String, @Nullable Object> fields, String name) {
    return Objects.requireNonNull(FieldValue.constant(fields.get(name)), name);
  }

  private static long number(Map<String, @Nullable Object> fields, String name) {
    return Objects.requireNonNull(FieldValue.whole(fields.get(name)), name);
  }
}
