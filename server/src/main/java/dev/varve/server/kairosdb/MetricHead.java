package dev.varve.server.kairosdb;

import static dev.varve.server.kairosdb.DataPointErrors.cut;
import static dev.varve.server.kairosdb.DataPointErrors.quoted;

import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.server.http.HeldPart;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The properties of a metric in a body of {@code /api/v1/datapoints}, besides its points: name,
 * type, tags, lifetime. Errors are reported with KairosDB's messages.
 */
final class MetricHead {
  /** Memory of a text, and of each of its characters including UTF-8, in bytes. */
  private static final int TEXT_BYTES = 56;

  private static final int TEXT_PER_CHARACTER = 5;

  /** Memory of a tag without its texts, in the map and in the key, in bytes. */
  private static final int TAG_BYTES = 240;

  private final int index;
  private final DataPointErrors errors;
  private final HeldPart memory;
  private @Nullable String name;
  private @Nullable String type;
  private Map<String, @Nullable String> tags = Map.of();
  private long ttl;
  private boolean skipsValidation;

  private boolean broken;

  /**
   * Creates the head of a metric without properties.
   *
   * @param index of the metric in its request, from 0
   * @param memory of the metric; the caller frees it once the metric is written
   */
  MetricHead(int index, DataPointErrors errors, HeldPart memory) {
    this.index = index;
    this.errors = errors;
    this.memory = memory;
  }

  /** Returns the metric as KairosDB's messages name it. */
  String place() {
    // KairosDB learns the name when it validates it.
    return skipsValidation || name == null || name.isEmpty()
        ? "metric[" + index + "]"
        : "metric[" + index + "](name=" + cut(name) + ")";
  }

  /** Returns the type of points that name none; null if the metric names none either. */
  @Nullable String type() {
    return type;
  }

  /** Returns the lifetime of the points in seconds; 0 if they do not expire. */
  long ttl() {
    return ttl;
  }

  boolean skipsValidation() {
    return skipsValidation;
  }

  /** Returns the key of the points; the metric has a name. */
  GroupKey key() {
    Map<String, String> known = new LinkedHashMap<>();
    tags.forEach((tag, value) -> known.put(tag, value == null ? "" : value));
    return GroupKey.of(Objects.requireNonNull(name), Tags.of(known));
  }

  void name(JsonParser json, JsonToken token) {
    name = scalar(json, token);
  }

  void type(JsonParser json, JsonToken token) {
    type = scalar(json, token);
  }

  void skipValidate(JsonParser json, JsonToken token) {
    switch (token) {
      case VALUE_TRUE -> skipsValidation = true;
      case VALUE_FALSE, VALUE_NULL -> skipsValidation = false;
      case VALUE_STRING -> skipsValidation = Boolean.parseBoolean(json.getString());
      default -> {
        errors.add(place() + ".skip_validate must be true or false.");
        broken = true;
        json.skipChildren();
      }
    }
  }

  void ttl(JsonParser json, JsonToken token) {
    String text = scalar(json, token);
    if (text == null) {
      return;
    }
    try {
      ttl = Math.toIntExact(Numerals.wholeNumber(text));
    } catch (ArithmeticException | NumberFormatException e) {
      ttl = -1;
    }
    if (ttl < 0) {
      errors.add(place() + ".ttl '" + quoted(text) + "' is no number of seconds.");
      ttl = 0;
    }
  }

  void tags(JsonParser json, JsonToken token) {
    tags = new LinkedHashMap<>();
    if (token == JsonToken.START_OBJECT) {
      while (json.nextToken() != JsonToken.END_OBJECT) {
        tag(json);
      }
    } else if (!isEmpty(json, token)) {
      errors.add(place() + ".tags must be an object of names and values.");
      broken = true;
    }
  }

  /** Reads a value that is no object; returns whether KairosDB's JSON library reads no tags. */
  private static boolean isEmpty(JsonParser json, JsonToken token) {
    boolean empty = token == JsonToken.VALUE_NULL;
    if (token == JsonToken.START_ARRAY) {
      empty = true;
      while (json.nextToken() != JsonToken.END_ARRAY) {
        json.skipChildren();
        empty = false;
      }
    }
    return empty;
  }

  private void tag(JsonParser json) {
    String tag = json.currentName();
    memory.hold(TAG_BYTES);
    String value = scalar(json, json.nextToken());
    int before = tags.size();
    tags.put(tag, value);
    if (tags.size() == before) {
      errors.add(place() + ".tags has '" + quoted(tag) + "' twice.");
      broken = true;
    }
  }

  /** Returns the text of a scalar; null for JSON's null; empty for an array or object. */
  @Nullable String scalar(JsonParser json, JsonToken token) {
    if (token == JsonToken.VALUE_NULL) {
      return null;
    }
    if (token.isScalarValue()) {
      return text(json);
    }
    json.skipChildren();
    return "";
  }

  /** Returns the text of the current token and reserves its memory until the metric ends. */
  String text(JsonParser json) {
    String text = json.getString();
    memory.hold(TEXT_BYTES + (long) TEXT_PER_CHARACTER * text.length());
    return text;
  }

  /** Returns whether an unreadable property, reported already, prevents all points. */
  boolean isBroken() {
    return broken;
  }

  /** Reports a missing name. */
  void checkName() {
    if (name == null) {
      errors.add(place() + ".name may not be null.");
    } else if (name.isEmpty()) {
      errors.add(place() + ".name may not be empty.");
    }
  }

  /** Reports missing and empty tags. */
  void checkTags() {
    if (tags.isEmpty() && !skipsValidation) {
      errors.add(place() + ".tags count must be greater than or equal to 1.");
    }
    int number = 0;
    for (Map.Entry<String, @Nullable String> tag : tags.entrySet()) {
      String place = place() + ".tag[" + number++ + "]";
      if (tag.getKey().isEmpty()) {
        errors.add(place + ".name may not be empty.");
      } else {
        place = place() + ".tag[" + tag.getKey() + "]";
      }
      String value = tag.getValue();
      if (value == null) {
        errors.add(place + ".value may not be null.");
      } else if (value.isEmpty()) {
        errors.add(place + ".value may not be empty.");
      }
    }
  }
}
