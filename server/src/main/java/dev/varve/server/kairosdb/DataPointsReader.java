package dev.varve.server.kairosdb;

import dev.varve.engine.WriteResult.Rejection;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.server.http.HeldJson;
import dev.varve.server.http.HeldPart;
import dev.varve.server.http.HttpError;
import dev.varve.server.ingest.Intake;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;

/**
 * Reads the body of {@code POST /api/v1/datapoints} and writes its points, batch by batch. What is
 * wrong with a point is said in the words of the original; the good points beside it are written.
 */
final class DataPointsReader {
  private static final String NO_CONTENT = "Invalid json. No content due to end of input.";

  /** So many errors are named; of more, only how many there are. */
  private static final int ERRORS_MAX = 1000;

  private static final int ERROR_MAX = 1000;
  private static final int QUOTED_MAX = 100;

  /** What an error takes beside its characters, and what each of these takes, in the answer too. */
  private static final int ERROR_BYTES = 64;

  private static final int ERROR_PER_CHARACTER = 8;

  /** What a text takes beside its characters, and what each of these takes, its UTF-8 included. */
  private static final int TEXT_BYTES = 56;

  private static final int TEXT_PER_CHARACTER = 5;

  /** What a tag takes beside its texts, in the map that is read and in the key. */
  private static final int TAG_BYTES = 240;

  /** Sign, digits and zeros behind a point of any time that is meant. */
  private static final int NUMBER_MAX = 100;

  /** So many points of one metric are held until it is known what they are. */
  private static final int POINTS_MAX = 1 << 20;

  private final Intake intake;

  /**
   * All points but those in {@link #insisted}, in their order: the later of two of one instant is
   * to win.
   */
  private final BatchBuilder inferred;

  /** Integers whose sender named the type, where others become doubles. */
  private final BatchBuilder insisted;

  private final List<String> errors = new ArrayList<>();
  private final PointBuffer points;

  /** The texts and tags of the metric at hand. */
  private final HeldPart ofMetric;

  private long errorCount;
  private final boolean endsPoints;

  /** The seconds that the points live which are gathered; 0 where they do not end. */
  private long gatheredTtl;

  private long ttlIgnored;
  private boolean conversionFailed;

  DataPointsReader(Intake intake) {
    this.intake = intake;
    this.inferred = intake.newBatch();
    this.insisted = intake.newBatch();
    this.points = new PointBuffer(intake.memory());
    this.ofMetric = new HeldPart(intake.memory());
    this.endsPoints = intake.endsSamples();
  }

  /** Whether a value could not be turned into the type that its sender named. */
  boolean conversionFailed() {
    return conversionFailed;
  }

  /** How many good points came with a time to live that their dataset cannot give them. */
  long ttlIgnored() {
    return ttlIgnored;
  }

  /** Reads everything there is and returns what was wrong; all good points are durable then. */
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
    // The first is said in any case.
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

  /** One metric: its own point is place 0 of the buffer, its {@code datapoints} follow. */
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

  /** What is known of a metric besides its points. */
  private static final class Head {
    private final int count;
    private @Nullable String name;
    private @Nullable String type;
    private @Nullable Map<String, @Nullable String> tags;
    private long ttl;
    private boolean timeNamed;
    private boolean skip;

    /** Whether a field cannot be read, so that none of its points is taken. */
    private boolean broken;

    Head(int count) {
      this.count = count;
    }

    String place() {
      return name == null || name.isEmpty()
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

  /** The text of the token at hand, for as long as the metric is. */
  private String text(JsonParser json) {
    String text = json.getString();
    ofMetric.hold(TEXT_BYTES + (long) TEXT_PER_CHARACTER * text.length());
    return text;
  }

  private Map<String, @Nullable String> tags(JsonParser json, JsonToken token, Head head) {
    Map<String, @Nullable String> tags = new LinkedHashMap<>();
    if (token != JsonToken.START_OBJECT) {
      if (token != JsonToken.VALUE_NULL) {
        error(head.place() + ".tags must be an object of names and values.");
        head.broken = true;
      }
      json.skipChildren();
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
   * Reads a time; a number with a fraction is cut to a whole one where KairosDB cuts it.
   *
   * @param row whether it stands in {@code datapoints}
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
                ? wholePart(String.valueOf(text))
                : wholeNumber(String.valueOf(text)));
      } catch (ArithmeticException | NumberFormatException e) {
        error(place.get() + " '" + shortened(text, QUOTED_MAX) + "' is no number of milliseconds.");
        points.form(index, PointBuffer.Form.ABSENT);
      }
    }
  }

  /** A whole number that may be written with zeros behind a point. */
  private static long wholeNumber(String text) {
    return decimal(text).longValueExact();
  }

  private static long wholePart(String text) {
    BigDecimal decimal = decimal(text);
    // To cut 1e-999999999 off at its point takes hours.
    return decimal.precision() <= decimal.scale()
        ? 0
        : decimal.setScale(0, RoundingMode.DOWN).longValueExact();
  }

  private static BigDecimal decimal(String text) {
    if (text.length() > NUMBER_MAX) {
      // To read a number of a million digits takes minutes.
      throw new NumberFormatException(text.substring(0, NUMBER_MAX) + "...");
    }
    BigDecimal decimal = new BigDecimal(text.strip());
    if (decimal.precision() - decimal.scale() > NUMBER_MAX) {
      throw new NumberFormatException(text);
    }
    return decimal;
  }

  private void ttl(JsonParser json, JsonToken token, Head head) {
    String text = scalar(json, token);
    if (text == null) {
      return;
    }
    try {
      head.ttl = Math.toIntExact(wholeNumber(text));
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
        // KairosDB takes a bare NaN or Infinity for the text.
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

  /** Reads {@code [[time, value, "type"], ...]}; returns how many there are. */
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
    GroupKey key = GroupKey.of(java.util.Objects.requireNonNull(head.name), Tags.of(tags));
    boolean hasPoint =
        points.hasTime(0)
            && points.form(0) != PointBuffer.Form.ABSENT
            && points.form(0) != PointBuffer.Form.NULL;
    int good = hasPoint && addPoint(key, 0, head.type, head) ? 1 : 0;
    // The original counts only the good points on, so that its numbers fall behind the bad ones.
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

  /** Adds a point whose time and value are there. */
  private boolean addPoint(GroupKey key, int index, @Nullable String named, Head head) {
    PointBuffer.Form form = points.form(index);
    if (named == null && form == PointBuffer.Form.OTHER) {
      error(head.place() + " value is an invalid type");
      return false;
    }
    String type = named == null ? typeOf(index) : named;
    String lost = lost(index);
    if (lost != null) {
      error(head.place() + " value " + lost);
      return false;
    }
    boolean insists = named != null && type.equals("long") && intake.coerces();
    BatchBuilder.GroupBuilder group = (insists ? insisted : inferred).group(key);
    try {
      switch (type) {
        case "long" -> group.add(Series.DEFAULT_FIELD, points.time(index), asLong(index));
        case "double" -> group.add(Series.DEFAULT_FIELD, points.time(index), asDouble(index));
        case "string" -> group.add(Series.DEFAULT_FIELD, points.time(index), asText(index));
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

  /** Why a value that JSON can name would not come back as it is; null where it would. */
  private @Nullable String lost(int index) {
    String text = points.text(index);
    return switch (points.form(index)) {
      case REAL -> Double.isInfinite(points.real(index)) ? "is too large for a double" : null;
      case TEXT ->
          text != null && text.codePoints().anyMatch(DataPointsReader::isHalf)
              ? "has half a character: a surrogate (\\ud800 to \\udfff) without its other"
              : null;
      default -> null;
    };
  }

  private static boolean isHalf(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }

  /** What a value is whose type nobody has named. */
  private String typeOf(int index) {
    return switch (points.form(index)) {
      case WHOLE -> "long";
      case REAL -> points.text(index) == null ? "double" : "long";
      default -> {
        String text = java.util.Objects.requireNonNull(points.text(index));
        if (points.truth(index) || !looksLikeNumber(text)) {
          yield "string";
        }
        yield text.indexOf('.') < 0 ? "long" : "double";
      }
    };
  }

  /** A sign or a point, then digits and at most two points, not at the end. */
  static boolean looksLikeNumber(String text) {
    int start = !text.isEmpty() && "+-.".indexOf(text.charAt(0)) >= 0 ? 1 : 0;
    if (start == text.length()) {
      return false;
    }
    int pointCount = 0;
    for (int i = start; i < text.length(); i++) {
      char c = text.charAt(i);
      if (pointCount > 1 || (c != '.' && (c < '0' || c > '9'))) {
        return false;
      }
      pointCount += c == '.' ? 1 : 0;
    }
    return text.charAt(text.length() - 1) != '.';
  }

  private long asLong(int index) {
    return switch (points.form(index)) {
      case WHOLE -> points.whole(index);
      case REAL -> {
        String text = points.text(index);
        if (text != null) {
          throw new NumberFormatException(text + " does not fit into a long");
        }
        double real = points.real(index);
        if (!(real >= -0x1p63 && real < 0x1p63)) {
          throw new NumberFormatException(real + " does not fit into a long");
        }
        // Whoever names the type long gets the whole part, as in the original.
        yield (long) real;
      }
      case TEXT -> Long.parseLong(java.util.Objects.requireNonNull(points.text(index)));
      default -> throw new NumberFormatException("the value is no long");
    };
  }

  private double asDouble(int index) {
    return switch (points.form(index)) {
      case WHOLE -> points.whole(index);
      case REAL -> points.real(index);
      case TEXT -> asDouble(java.util.Objects.requireNonNull(points.text(index)));
      default -> throw new NumberFormatException("the value is no double");
    };
  }

  private static double asDouble(String text) {
    double value = Double.parseDouble(text);
    if (Double.isInfinite(value) && text.chars().anyMatch(Character::isDigit)) {
      throw new NumberFormatException(text + " does not fit into a double");
    }
    return value;
  }

  private String asText(int index) {
    return switch (points.form(index)) {
      case WHOLE -> Long.toString(points.whole(index));
      case REAL -> {
        String text = points.text(index);
        yield text == null ? QueryAnswer.number(points.real(index)) : text;
      }
      case TEXT -> java.util.Objects.requireNonNull(points.text(index));
      default -> throw new NumberFormatException("the value is no text");
    };
  }
}
