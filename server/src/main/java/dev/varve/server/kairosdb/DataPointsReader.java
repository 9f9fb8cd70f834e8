package dev.varve.server.kairosdb;

import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.server.http.HeldJson;
import dev.varve.server.http.HeldPart;
import dev.varve.server.http.HttpError;
import dev.varve.server.ingest.Intake;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
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

  private final DataPointErrors errors;
  private final PointBuffer points;
  private final PointValues values;

  /** Memory of the current metric's texts and tags. */
  private final HeldPart ofMetric;

  private final boolean endsPoints;

  /** Time to live of the collected points in seconds; 0 for unlimited. */
  private long gatheredTtl;

  private long ttlIgnored;
  private boolean conversionFailed;

  DataPointsReader(Intake intake) {
    this.intake = intake;
    this.errors = new DataPointErrors(intake);
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
        errors.add(NO_CONTENT);
      } else if (first == JsonToken.START_ARRAY) {
        int count = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
          if (json.currentToken() != JsonToken.START_OBJECT) {
            errors.add("metric[" + count + "] is no object");
            json.skipChildren();
          } else {
            metric(json, count);
          }
          count++;
        }
      } else if (first == JsonToken.START_OBJECT) {
        metric(json, 0);
      } else {
        errors.add("Invalid start of json.");
      }
      if (errors.count() == 0 && json.nextToken() != null) {
        errors.add("Invalid json: something follows its end, and several metrics are an array.");
      }
    } catch (UnexpectedEndOfInputException e) {
      errors.add(NO_CONTENT);
    } catch (StreamReadException | StreamConstraintsException e) {
      errors.add("Invalid json: " + JsonTree.reason(e));
    }
    flush();
    return errors.all();
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
    MetricHead head = new MetricHead(count, errors, ofMetric);
    int rows = 0;
    boolean timeNamed = false;
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String field = json.currentName();
      JsonToken token = json.nextToken();
      switch (field) {
        case "name" -> head.name(json, token);
        case "type" -> head.type(json, token);
        case "tags" -> head.tags(json, token);
        case "value" -> value(json, token, 0, head);
        case "timestamp" -> {
          if (!timeNamed) {
            time(json, token, 0, head, ".timestamp", false);
          }
        }
        case "time" -> {
          timeNamed = token != JsonToken.VALUE_NULL;
          time(json, token, 0, head, ".time", false);
        }
        case "ttl" -> head.ttl(json, token);
        case "skip_validate" -> head.skipValidate(json, token);
        case "datapoints" -> rows = datapoints(json, token, head);
        default -> json.skipChildren();
      }
    }
    if (isValid(head)) {
      if (endsPoints && head.ttl() != gatheredTtl) {
        flush();
        gatheredTtl = head.ttl();
      }
      add(head, rows);
    }
    if (insisted.sampleCount() + inferred.sampleCount() >= Intake.BATCH
        || intake.isFull(insisted)
        || intake.isFull(inferred)) {
      flush();
    }
  }

  /**
   * Reads a time. A fraction is truncated where KairosDB truncates it.
   *
   * @param place of the time in the metric, for messages
   * @param row whether the time is part of {@code datapoints}
   */
  private void time(
      JsonParser json, JsonToken token, int index, MetricHead head, String place, boolean row) {
    if (token == JsonToken.VALUE_NUMBER_INT && fits(json)) {
      points.time(index, json.getLongValue());
      return;
    }
    if (token != JsonToken.VALUE_NULL) {
      String text = head.scalar(json, token);
      try {
        points.time(
            index,
            row && token == JsonToken.VALUE_NUMBER_FLOAT
                ? Numerals.wholePart(String.valueOf(text))
                : Numerals.wholeNumber(String.valueOf(text)));
      } catch (ArithmeticException | NumberFormatException e) {
        errors.add(
            "%s%s '%s' is no number of milliseconds."
                .formatted(head.place(), place, DataPointErrors.quoted(text)));
        points.form(index, PointBuffer.Form.ABSENT);
      }
    }
  }

  private static boolean fits(JsonParser json) {
    return switch (json.getNumberType()) {
      case INT, LONG -> true;
      default -> false;
    };
  }

  private void value(JsonParser json, JsonToken token, int index, MetricHead head) {
    switch (token) {
      case VALUE_NULL -> points.form(index, PointBuffer.Form.NULL);
      case VALUE_NUMBER_INT -> {
        if (fits(json)) {
          points.whole(index, json.getLongValue());
        } else {
          points.real(index, json.getDoubleValue(), head.text(json));
        }
      }
      case VALUE_NUMBER_FLOAT -> {
        double real = json.getDoubleValue();
        // KairosDB reads a bare NaN or Infinity as a string.
        if (!Double.isFinite(real) && JsonTree.isWord(json.getString())) {
          points.text(index, head.text(json), false);
        } else {
          points.real(index, real, null);
        }
      }
      case VALUE_STRING -> points.text(index, head.text(json), false);
      case VALUE_TRUE, VALUE_FALSE -> points.text(index, head.text(json), true);
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
  private int datapoints(JsonParser json, JsonToken token, MetricHead head) {
    if (token != JsonToken.START_ARRAY) {
      if (token != JsonToken.VALUE_NULL) {
        errors.add(head.place() + ".datapoints must be an array of [time, value].");
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
          case 0 -> time(json, inner, index, head, ".datapoints[" + row + "]", true);
          case 1 -> value(json, inner, index, head);
          case 2 -> points.type(index, head.scalar(json, inner));
          default -> json.skipChildren();
        }
        points.columns(index, column);
      }
    }
    return rows;
  }

  private boolean isValid(MetricHead head) {
    if (head.isBroken()) {
      return false;
    }
    long before = errors.count();
    head.checkName();
    if (!head.skipsValidation()) {
      if (points.hasTime(0)) {
        notEmpty(head::place, 0);
      } else if (points.form(0) != PointBuffer.Form.ABSENT
          && points.form(0) != PointBuffer.Form.NULL) {
        errors.add(head.place() + ".timestamp may not be null.");
      }
    }
    head.checkTags();
    return errors.count() == before;
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
      errors.add(place.get() + ".value" + wrong);
    }
    return wrong == null;
  }

  private void add(MetricHead head, int rows) {
    GroupKey key = head.key();
    boolean hasPoint =
        points.hasTime(0)
            && points.form(0) != PointBuffer.Form.ABSENT
            && points.form(0) != PointBuffer.Form.NULL;
    int good = hasPoint && addPoint(key, 0, head.type(), head) ? 1 : 0;
    // Like KairosDB, the index counts only valid points, so it lags after invalid ones.
    int counted = 0;
    for (int index = 1; index <= rows; index++) {
      int row = counted;
      if (addRow(head, key, index, () -> head.place() + ".datapoints[" + row + "]")) {
        counted++;
      }
    }
    if (head.ttl() > 0 && !endsPoints) {
      ttlIgnored += good + counted;
    }
  }

  private boolean addRow(MetricHead head, GroupKey key, int index, Supplier<String> place) {
    if (points.columns(index) == 0) {
      errors.add(place.get() + ".timestamp cannot be null or empty.");
      return false;
    }
    if (points.columns(index) == 1) {
      errors.add(place.get() + ".value cannot be null or empty.");
      return false;
    }
    if (!points.hasTime(index)) {
      errors.add(place.get() + ".timestamp may not be null.");
      return false;
    }
    String named = points.type(index);
    return notEmpty(place, index)
        && addPoint(key, index, named == null ? head.type() : named, head);
  }

  /** Adds a point whose time and value are present. */
  private boolean addPoint(GroupKey key, int index, @Nullable String named, MetricHead head) {
    PointBuffer.Form form = points.form(index);
    if (named == null && form == PointBuffer.Form.OTHER) {
      errors.add(head.place() + " value is an invalid type");
      return false;
    }
    String type = named == null ? values.typeOf(index) : named;
    String lost = values.lost(index);
    if (lost != null) {
      errors.add(head.place() + " value " + lost);
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
          errors.add("Unregistered data point type '" + DataPointErrors.cut(type) + "'");
          return false;
        }
      }
      return true;
    } catch (NumberFormatException e) {
      conversionFailed |= named != null;
      errors.add(head.place() + ": " + e.getMessage());
      return false;
    }
  }
}
