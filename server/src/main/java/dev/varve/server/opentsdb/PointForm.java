package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The form of the points that one endpoint accepts: their members, and where they are stored. */
interface PointForm {
  /** The endpoints, whose points differ in their members. */
  enum Kind {
    PUT,
    ROLLUP,
    HISTOGRAM
  }

  /** The last time that counts as seconds; larger ones are milliseconds. */
  long LAST_SECOND = 0xFFFF_FFFFL;

  Pattern INTEGER = Pattern.compile("[+-]?[0-9]{1,19}");

  Kind kind();

  /** Returns the dataset of the request. */
  Dataset dataset();

  /**
   * Returns the dataset, the series and the value of a point.
   *
   * @throws BadPointException if it is invalid
   */
  Placed place(DataPoint point);

  /**
   * A point with the place where it is stored.
   *
   * @param point as an answer shows it
   * @param millis the time in milliseconds since 1970
   */
  record Placed(
      Dataset dataset,
      DataPoint point,
      GroupKey key,
      String field,
      long millis,
      PointValue value) {}

  /**
   * Checks the members that all points have, in OpenTSDB's order.
   *
   * @throws BadPointException if one of them is missing
   */
  static void requireMembers(DataPoint point) {
    String wrong = missing(point, true);
    if (wrong != null) {
      throw new BadPointException(point, wrong);
    }
  }

  /**
   * Returns the error of a point with a missing member; null if none is missing.
   *
   * @param value whether the point needs a value
   */
  static @Nullable String missing(DataPoint point, boolean value) {
    String metric = point.metric();
    Map<String, @Nullable String> tags = point.tags();
    if (metric == null || metric.isEmpty()) {
      return "Metric name was empty";
    }
    if (point.timestamp() <= 0) {
      return "Invalid timestamp";
    }
    if (value && !point.hasValue()) {
      return "Empty value";
    }
    return tags == null || tags.isEmpty() ? "Missing tags" : null;
  }

  /**
   * Parses a number.
   *
   * @throws BadPointException if the value of the point is not a number
   */
  static PointValue number(DataPoint point) {
    String value = String.valueOf(point.value());
    try {
      if (looksLikeInteger(value)) {
        if (!INTEGER.matcher(value).matches()) {
          throw new NumberFormatException();
        }
        return new PointValue.Whole(Long.parseLong(value));
      }
      double real = Double.parseDouble(value);
      if (Double.isInfinite(real)) {
        throw new BadPointException(
            point,
            "value is NaN or Infinite: %s for metric=%s timestamp=%d"
                .formatted(Double.toString(real), point.metric(), point.timestamp()));
      }
      return new PointValue.Real(real);
    } catch (NumberFormatException e) {
      throw new BadPointException(point, "Unable to parse value to a number");
    }
  }

  /** Returns whether OpenTSDB would parse the value as an integer, which excludes NaN. */
  private static boolean looksLikeInteger(String value) {
    return value.chars().noneMatch(c -> c == '.' || c == 'e' || c == 'E');
  }

  /**
   * Returns the key of a point.
   *
   * @throws BadPointException if a tag has no name or no value
   */
  static GroupKey key(DataPoint point) {
    Map<String, String> plain = new TreeMap<>();
    for (Map.Entry<String, @Nullable String> tag : point.tagsOrNone().entrySet()) {
      String text = tag.getValue();
      if (tag.getKey().isEmpty()) {
        throw new BadPointException(
            point, "Invalid tag name with value [%s]: empty string".formatted(text));
      }
      if (text == null || text.isEmpty()) {
        throw new BadPointException(
            point,
            "Invalid tag value with key [%s]: %s"
                .formatted(tag.getKey(), text == null ? "null" : "empty string"));
      }
      plain.put(tag.getKey(), text);
    }
    return GroupKey.of(String.valueOf(point.metric()), Tags.of(plain));
  }
}
