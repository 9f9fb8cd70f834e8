package dev.varve.server.opentsdb;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * A point as received, before validation.
 *
 * @param timestamp 0 if missing
 * @param value the text of a number or string
 * @param tags null if missing; a value may be null
 * @param rolledUp the further members of a point of {@code /api/rollup}; null for other points
 * @param counted the further members of a point of {@code /api/histogram}; null for other points
 */
record DataPoint(
    @Nullable String metric,
    long timestamp,
    @Nullable String value,
    @Nullable Map<String, @Nullable String> tags,
    @Nullable RolledUp rolledUp,
    @Nullable Counted counted) {
  /**
   * The members of a histogram; an encoded one has a value instead of buckets.
   *
   * @param id the number of the codec of an encoded value
   * @param buckets the counts by bounds; null if missing
   * @param underflow the count below all buckets
   * @param overflow the count above all buckets
   */
  record Counted(
      int id, @Nullable Map<String, @Nullable Long> buckets, long underflow, long overflow) {
    static final Counted NONE = new Counted(0, null, 0, 0);

    private long characters() {
      long count = 0;
      if (buckets != null) {
        for (String bounds : buckets.keySet()) {
          count += bounds.length();
        }
      }
      return count;
    }

    private void write(JsonGenerator json) {
      json.writeNumberProperty("id", id);
      if (buckets != null) {
        json.writeObjectPropertyStart("buckets");
        buckets.forEach((bounds, count) -> {
          json.writeName(bounds);
          if (count == null) {
            json.writeNull();
          } else {
            json.writeNumber(count);
          }
        });
        json.writeEndObject();
      }
      json.writeNumberProperty("underflow", underflow);
      json.writeNumberProperty("overflow", overflow);
    }
  }

  /**
   * The interval and the aggregators of a roll-up.
   *
   * @param interval null if missing
   * @param aggregator over time; null if missing
   * @param groupBy the aggregator over series; null if missing
   */
  record RolledUp(
      @Nullable String interval, @Nullable String aggregator, @Nullable String groupBy) {
    static final RolledUp NONE = new RolledUp(null, null, null);

    private static final String INTERVAL = "interval";
    private static final String AGGREGATOR = "aggregator";
    private static final String GROUP_BY = "groupByAggregator";

    /** The names of the members of a point. */
    static final Set<String> MEMBERS = Set.of(INTERVAL, AGGREGATOR, GROUP_BY);

    /** Returns a copy with another member. */
    RolledUp with(String member, @Nullable String text) {
      return new RolledUp(
          member.equals(INTERVAL) ? text : interval,
          member.equals(AGGREGATOR) ? text : aggregator,
          member.equals(GROUP_BY) ? text : groupBy);
    }

    private long characters() {
      return length(interval) + length(aggregator) + length(groupBy);
    }

    private void write(JsonGenerator json) {
      text(INTERVAL, interval, json);
      text(AGGREGATOR, aggregator, json);
      text(GROUP_BY, groupBy, json);
    }
  }

  /** Returns whether there is a value. */
  boolean hasValue() {
    return value != null && !value.isEmpty();
  }

  /** Returns the tags; empty if they are missing. */
  Map<String, @Nullable String> tagsOrNone() {
    return tags == null ? Map.of() : tags;
  }

  /** Returns a copy with one more tag. */
  DataPoint with(String tag, String text) {
    Map<String, @Nullable String> more = new LinkedHashMap<>(tagsOrNone());
    more.put(tag, text);
    return new DataPoint(metric, timestamp, value, more, rolledUp, counted);
  }

  /** Returns the number of characters of all texts. */
  long characters() {
    long count = length(metric) + length(value);
    if (rolledUp != null) {
      count += rolledUp.characters();
    }
    if (counted != null) {
      count += counted.characters();
    }
    if (tags != null) {
      for (Map.Entry<String, @Nullable String> tag : tags.entrySet()) {
        count += tag.getKey().length() + length(tag.getValue());
      }
    }
    return count;
  }

  private static long length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  private static void text(String name, @Nullable String text, JsonGenerator json) {
    if (text != null) {
      json.writeStringProperty(name, text);
    }
  }

  /** Writes the members that are present, as OpenTSDB does. */
  void write(JsonGenerator json) {
    json.writeStartObject();
    text("metric", metric, json);
    json.writeNumberProperty("timestamp", timestamp);
    text("value", value, json);
    if (tags != null) {
      json.writeName("tags");
      json.writeStartObject();
      tags.forEach((name, text) -> {
        json.writeName(name);
        if (text == null) {
          json.writeNull();
        } else {
          json.writeString(text);
        }
      });
      json.writeEndObject();
    }
    if (rolledUp != null) {
      rolledUp.write(json);
    }
    if (counted != null) {
      counted.write(json);
    }
    json.writeEndObject();
  }
}
