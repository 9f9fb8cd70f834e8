package dev.varve.server.kairosdb;

import dev.varve.engine.request.WriteResult.Rejection;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.server.http.HeldJson;
import dev.varve.server.http.HeldPart;
import dev.varve.server.http.HttpError;
import dev.varve.server.ingest.Intake;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;

/**
 * Reads the body of {@code POST /api/v1/datapoints} and writes its points in batches. Invalid
 * points are reported with KairosDB's messages; valid points are written anyway.
 */
final class DataPointsReader {
  private static final String NO_CONTENT = "Invalid json. No content due to end of input.";

  /** Maximum number of errors reported individually; the rest are only counted. */
  private static final int ERRORS_MAX = 1000;

  private static final int ERROR_MAX = 1000;
  private static final int QUOTED_MAX = 100;

  /** Memory of an error, and of each of its characters including the answer, in bytes. */
  private static final int ERROR_BYTES = 64;

  private static final int ERROR_PER_CHARACTER = 8;

  /** Memory of a text, and of each of its characters including UTF-8, in bytes. */
  private static final int TEXT_BYTES = 56;

  private static final int TEXT_PER_CHARACTER = 5;

  /** Memory of a tag without its texts, in the map and in the key, in bytes. */
  private static final int TAG_BYTES = 240;

  /** Maximum number of points of one metric; they are held until their type is known. */
  private static final int POINTS_MAX = 1 << 20;

  private final Intake intake;

  /**
   * All points except those in {@link #insisted}, in order: the later of two points of one instant
   * must win.
   */
  private final BatchBuilder inferred;

  /** Integers whose type the client declared; they are never stored as doubles. */
  private final BatchBuilder insisted;

  private final List<String> errors = new ArrayList<>();
  private final PointBuffer points;
  private final PointValues values;

  /** Memory of the current metric's texts and tags. */
  private final HeldPart ofMetric;

  private long errorCount;
  private final boolean endsPoints;

  /** Time to live of the collected points in seconds; 0 for unlimited. */
  private long gatheredTtl;

  private long ttlIgnored;
  private boolean conversionFailed;

  DataPointsReader(Intake intake) {
    this.intake = intake;
    this.inferred = intake.newBatch();
    this.insisted = intake.newBatch();
    this.points = new PointBuffer(intake.memory());
    this.values = new PointValues(points);
    this.ofMetric = new HeldPart(intake.memory());
    this.endsPoints = intake.endsSamples();
  }

  /** Returns whether a value could not be converted to its declared type. */
  boolean conversionFailed() {
    return conversionFailed;
  }

  /** Returns the number of valid points with a time to live that the dataset does not support. */
  long ttlIgnored() {
    return ttlIgnored;
  }

  /** Reads the whole body and returns the errors. All valid points are then durable. */
  List<String> read(InputStream body) {
    try (JsonParser json = HeldJson.of(JsonTree.FACTORY, body, intake.memory())) {
      JsonToken first = json.nextToken();
      if (first == null) {
        error(NO_CONTENT);
      } else if (first == JsonToken.START_ARRAY) {
        int count = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
          if (json.currentToken() != JsonToken.START_OBJECT) {
            error("metric[" + count + "] is no object");
            json.skipChildren();
          } else {
            metric(json, count);
          }
          count++;
        }
      } else if (first == JsonToken.START_OBJECT) {
        metric(json, 0);
      } else {
        error("Invalid start of json.");
      }
      if (errorCount == 0 && json.nextToken() != null) {
        error("Invalid json: something follows its end, and several metrics are an array.");
      }
    } catch (UnexpectedEndOfInputException e) {
      error(NO_CONTENT);
    } catch (StreamReadException | StreamConstraintsException e) {
      error("Invalid json: " + JsonTree.reason(e));
    }
    flush();
    intake.report(Intake.SYNTAX, errorCount, errors::getFirst);
    for (Rejection rejection : intake.rejections()) {
      Long time = rejection.time();
      error(
          "%s%s: %s"
              .formatted(
                  rejection.key(),
                  time == null ? "" : " at " + time,
                  rejection.refusal().message()));
    }
    errorCount += Math.max(0, intake.refused() - intake.rejections().size());
    if (errorCount > errors.size()) {
      errors.add("and " + (errorCount - errors.size()) + " more");
    }
    return errors;
  }

  private void error(String message) {
    errorCount++;
    String kept = shortened(message, ERROR_MAX);
    boolean named =
        errors.size() < ERRORS_MAX
            && intake.memory().tryHold(ERROR_BYTES + (long) ERROR_PER_CHARACTER * kept.length());
    // The first error is always reported.
    if (named || errors.isEmpty()) {
      errors.add(kept);
    }
  }

  private static String shortened(@Nullable String text, int max) {
    return text == null || text.length() <= max
        ? String.valueOf(text)
        : text.substring(0, max) + "...";
  }

  private void flush() {
    Duration lifetime = gatheredTtl == 0 ? null : Duration.ofSeconds(gatheredTtl);
    if (!insisted.isEmpty()) {
      intake.write(insisted, true, lifetime);
    }
    if (!inferred.isEmpty()) {
      intake.write(inferred, false, lifetime);
    }
  }

  /** Reads one metric. Its own point is row 0 of the buffer; its {@code datapoints} follow. */
  private void metric(JsonParser json, int count) {
    points.clear();
    ofMetric.letGo();
    points.next();
    Head head = new Head(count);
    int rows = 0;
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String field = json.currentName();
      JsonToken token = json.nextToken();
      switch (field) {
        case "name" -> head.name = scalar(json, token);
        case "type" -> head.type = scalar(json, token);
        case "tags" -> head.tags = tags(json, token, head);
        case "value" -> value(json, token, 0);
        case "timestamp" -> {
          if (!head.timeNamed) {
            time(json, token, 0, () -> head.place() + ".timestamp", false);
          }
        }
        case "time" -> {
          head.timeNamed = token != JsonToken.VALUE_NULL;
          time(json, token, 0, () -> head.place() + ".time", false);
        }
        case "ttl" -> ttl(json, token, head);
        case "skip_validate" -> skipValidate(json, token, head);
        case "datapoints" -> rows = datapoints(json, token, head);
        default -> json.skipChildren();
      }
    }
    if (valid(head)) {
      if (endsPoints && head.ttl != gatheredTtl) {
        flush();
        gatheredTtl = head.ttl;
      }
      add(head, rows);
    }
    if (insisted.sampleCount() + inferred.sampleCount() >= Intake.BATCH
        || intake.isFull(insisted)
        || intake.isFull(inferred)) {
      flush();
    }
  }

  /** The properties of a metric besides its points. */
  private static final class Head {
    private final int count;
    private @Nullable String name;
    private @Nullable String type;
    private @Nullable Map<String, @Nullable String> tags;
    private long ttl;
    private boolean timeNamed;
    private boolean skip;

    /** Whether an unreadable field prevents all of its points from being written. */
    private boolean broken;

    Head(int count) {
      this.count = count;
    }

    String place() {
      // KairosDB learns the name when it validates it.
      return skip || name == null || name.isEmpty()
          ? "metric[" + count + "]"
          : "metric[" + count + "](name=" + shortened(name, ERROR_MAX) + ")";
    }
  }

  private void skipValidate(JsonParser json, JsonToken token, Head head) {
    switch (token) {
      case VALUE_TRUE -> head.skip = true;
      case VALUE_FALSE, VALUE_NULL -> head.skip = false;
      case VALUE_STRING -> head.skip = Boolean.parseBoolean(json.getString());
      default -> {
        error(head.place() + ".skip_validate must be true or false.");
        head.broken = true;
        json.skipChildren();
      }
    }
  }

  private @Nullable String scalar(JsonParser json, JsonToken token) {
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
  private String text(JsonParser json) {
    String text = json.getString();
    ofMetric.hold(TEXT_BYTES + (long) TEXT_PER_CHARACTER * text.length());
    return text;
  }

  private Map<String, @Nullable String> tags(JsonParser json, JsonToken token, Head head) {
    Map<String, @Nullable String> tags = new LinkedHashMap<>();
    if (token != JsonToken.START_OBJECT) {
      boolean none = token == JsonToken.VALUE_NULL;
      if (token == JsonToken.START_ARRAY) {
        // KairosDB's JSON library also reads an empty array as a map.
        none = true;
        while (json.nextToken() != JsonToken.END_ARRAY) {
          json.skipChildren();
          none = false;
        }
      }
      if (!none) {
        error(head.place() + ".tags must be an object of names and values.");
        head.broken = true;
      }
      return tags;
    }
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      ofMetric.hold(TAG_BYTES);
      String value = scalar(json, json.nextToken());
      int before = tags.size();
      tags.put(name, value);
      if (tags.size() == before) {
        error(head.place() + ".tags has '" + shortened(name, QUOTED_MAX) + "' twice.");
        head.broken = true;
      }
    }
    return tags;
  }

  /**
   * Reads a time. A fraction is truncated where KairosDB truncates it.
   *
   * @param row whether the time is part of {@code datapoints}
   */
  private void time(
      JsonParser json, JsonToken token, int index, Supplier<String> place, boolean row) {
    if (token == JsonToken.VALUE_NUMBER_INT && fits(json)) {
      points.time(index, json.getLongValue());
      return;
    }
    if (token != JsonToken.VALUE_NULL) {
      String text = scalar(json, token);
      try {
        points.time(
            index,
            row && token == JsonToken.VALUE_NUMBER_FLOAT
                ? Numerals.wholePart(String.valueOf(text))
                : Numerals.wholeNumber(String.valueOf(text)));
      } catch (ArithmeticException | NumberFormatException e) {
        error(place.get() + " '" + shortened(text, QUOTED_MAX) + "' is no number of milliseconds.");
        points.form(index, PointBuffer.Form.ABSENT);
      }
    }
  }

  private void ttl(JsonParser json, JsonToken token, Head head) {
    String text = scalar(json, token);
    if (text == null) {
      return;
    }
    try {
      head.ttl = Math.toIntExact(Numerals.wholeNumber(text));
    } catch (ArithmeticException | NumberFormatException e) {
      head.ttl = -1;
    }
    if (head.ttl < 0) {
      error(head.place() + ".ttl '" + shortened(text, QUOTED_MAX) + "' is no number of seconds.");
      head.ttl = 0;
    }
  }

  private static boolean fits(JsonParser json) {
    return switch (json.getNumberType()) {
      case INT, LONG -> true;
      default -> false;
    };
  }

  private void value(JsonParser json, JsonToken token, int index) {
    switch (token) {
      case VALUE_NULL -> points.form(index, PointBuffer.Form.NULL);
      case VALUE_NUMBER_INT -> {
        if (fits(json)) {
          points.whole(index, json.getLongValue());
        } else {
          points.real(index, json.getDoubleValue(), text(json));
        }
      }
      case VALUE_NUMBER_FLOAT -> {
        double real = json.getDoubleValue();
        // KairosDB reads a bare NaN or Infinity as a string.
        if (!Double.isFinite(real) && JsonTree.isWord(json.getString())) {
          points.text(index, text(json), false);
        } else {
          points.real(index, real, null);
        }
      }
      case VALUE_STRING -> points.text(index, text(json), false);
      case VALUE_TRUE, VALUE_FALSE -> points.text(index, text(json), true);
      case START_ARRAY -> {
        int inside = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
          json.skipChildren();
          inside++;
        }
        points.form(index, inside == 0 ? PointBuffer.Form.EMPTY_ARRAY : PointBuffer.Form.OTHER);
      }
      default -> {
        json.skipChildren();
        points.form(index, PointBuffer.Form.OTHER);
      }
    }
  }

  /** Reads {@code [[time, value, "type"], ...]}; returns the number of rows. */
  private int datapoints(JsonParser json, JsonToken token, Head head) {
    if (token != JsonToken.START_ARRAY) {
      if (token != JsonToken.VALUE_NULL) {
        error(head.place() + ".datapoints must be an array of [time, value].");
      }
      json.skipChildren();
      return 0;
    }
    int rows = 0;
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (points.size() > POINTS_MAX) {
        throw new HttpError(
            413,
            "%s has more than %d datapoints; send them in several requests"
                .formatted(head.place(), POINTS_MAX));
      }
      int index = points.next();
      int row = rows++;
      if (json.currentToken() != JsonToken.START_ARRAY) {
        json.skipChildren();
        continue;
      }
      int column = 0;
      while (true) {
        JsonToken inner = json.nextToken();
        if (inner == JsonToken.END_ARRAY) {
          break;
        }
        switch (column++) {
          case 0 -> time(json, inner, index, () -> head.place() + ".datapoints[" + row + "]", true);
          case 1 -> value(json, inner, index);
          case 2 -> points.type(index, scalar(json, inner));
          default -> json.skipChildren();
        }
        points.columns(index, column);
      }
    }
    return rows;
  }

  private boolean valid(Head head) {
    if (head.broken) {
      return false;
    }
    long before = errorCount;
    if (head.name == null) {
      error(head.place() + ".name may not be null.");
    } else if (head.name.isEmpty()) {
      error(head.place() + ".name may not be empty.");
    }
    if (!head.skip) {
      if (points.hasTime(0)) {
        notEmpty(head::place, 0);
      } else if (points.form(0) != PointBuffer.Form.ABSENT
          && points.form(0) != PointBuffer.Form.NULL) {
        error(head.place() + ".timestamp may not be null.");
      }
    }
    tagsAreValid(head);
    return errorCount == before;
  }

  private void tagsAreValid(Head head) {
    Map<String, @Nullable String> tags = head.tags == null ? Map.of() : head.tags;
    if (tags.isEmpty() && !head.skip) {
      error(head.place() + ".tags count must be greater than or equal to 1.");
    }
    int count = 0;
    for (Map.Entry<String, @Nullable String> tag : tags.entrySet()) {
      String place = head.place() + ".tag[" + count++ + "]";
      if (tag.getKey().isEmpty()) {
        error(place + ".name may not be empty.");
      } else {
        place = head.place() + ".tag[" + tag.getKey() + "]";
      }
      String value = tag.getValue();
      if (value == null) {
        error(place + ".value may not be null.");
      } else if (value.isEmpty()) {
        error(place + ".value may not be empty.");
      }
    }
  }

  private boolean notEmpty(Supplier<String> place, int index) {
    String wrong =
        switch (points.form(index)) {
          case ABSENT -> " may not be null.";
          case NULL -> " may not be empty.";
          case EMPTY_ARRAY -> " may not be an empty array.";
          case TEXT -> "".equals(points.text(index)) ? " may not be empty." : null;
          default -> null;
        };
    if (wrong != null) {
      error(place.get() + ".value" + wrong);
    }
    return wrong == null;
  }

  private void add(Head head, int rows) {
    Map<String, String> tags = new LinkedHashMap<>();
    if (head.tags != null) {
      head.tags.forEach((name, value) -> tags.put(name, value == null ? "" : value));
    }
    GroupKey key = GroupKey.of(Objects.requireNonNull(head.name), Tags.of(tags));
    boolean hasPoint =
        points.hasTime(0)
            && points.form(0) != PointBuffer.Form.ABSENT
            && points.form(0) != PointBuffer.Form.NULL;
    int good = hasPoint && addPoint(key, 0, head.type, head) ? 1 : 0;
    // Like KairosDB, the index counts only valid points, so it lags after invalid ones.
    int counted = 0;
    for (int index = 1; index <= rows; index++) {
      int row = counted;
      if (addRow(head, key, index, () -> head.place() + ".datapoints[" + row + "]")) {
        counted++;
      }
    }
    if (head.ttl > 0 && !endsPoints) {
      ttlIgnored += good + counted;
    }
  }

  private boolean addRow(Head head, GroupKey key, int index, Supplier<String> place) {
    if (points.columns(index) == 0) {
      error(place.get() + ".timestamp cannot be null or empty.");
      return false;
    }
    if (points.columns(index) == 1) {
      error(place.get() + ".value cannot be null or empty.");
      return false;
    }
    if (!points.hasTime(index)) {
      error(place.get() + ".timestamp may not be null.");
      return false;
    }
    String named = points.type(index);
    return notEmpty(place, index) && addPoint(key, index, named == null ? head.type : named, head);
  }

  /** Adds a point whose time and value are present. */
  private boolean addPoint(GroupKey key, int index, @Nullable String named, Head head) {
    PointBuffer.Form form = points.form(index);
    if (named == null && form == PointBuffer.Form.OTHER) {
      error(head.place() + " value is an invalid type");
      return false;
    }
    String type = named == null ? values.typeOf(index) : named;
    String lost = values.lost(index);
    if (lost != null) {
      error(head.place() + " value " + lost);
      return false;
    }
    boolean insists = named != null && type.equals("long") && intake.coerces();
    BatchBuilder.GroupBuilder group = (insists ? insisted : inferred).group(key);
    try {
      switch (type) {
        case "long" -> group.add(Series.DEFAULT_FIELD, points.time(index), values.asLong(index));
        case "double" ->
            group.add(Series.DEFAULT_FIELD, points.time(index), values.asDouble(index));
        case "string" -> group.add(Series.DEFAULT_FIELD, points.time(index), values.asText(index));
        default -> {
          error("Unregistered data point type '" + shortened(type, ERROR_MAX) + "'");
          return false;
        }
      }
      return true;
    } catch (NumberFormatException e) {
      conversionFailed |= named != null;
      error(head.place() + ": " + e.getMessage());
      return false;
    }
  }
}
