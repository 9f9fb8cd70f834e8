package dev.varve.server.opentsdb.query;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parameters {@code m=AGGREGATOR:PARTS:METRIC{GROUPING}{FILTERS}} and {@code
 * tsuid=AGGREGATOR:PARTS:TSUIDS} of a query in a URL.
 */
public final class QueryWords {
  private static final int PARTS_MAX = 5;

  private QueryWords() {}

  /**
   * Reads {@code m}.
   *
   * @throws OpenTsdbError with OpenTSDB's message
   */
  public static SubQuery metric(String text) {
    String[] parts = split(text, "The query string was empty");
    SubQuery.Builder query = new SubQuery.Builder();
    // The order decides which of several errors is reported.
    try {
      query.metric = metricAndFilters(parts[parts.length - 1], query.filters);
    } catch (IllegalArgumentException e) {
      throw new OpenTsdbError(500, String.valueOf(e.getMessage()));
    }
    parts(parts, query);
    return query.build();
  }

  /** Reads {@code tsuid}. */
  public static SubQuery tsuids(String text) {
    String[] parts = split(text, "The tsuid query string was empty");
    SubQuery.Builder query = new SubQuery.Builder();
    parts(parts, query);
    query.tsuids = Arrays.asList(parts[parts.length - 1].split(","));
    // OpenTSDB knows these parts of metrics alone.
    query.preAggregate = false;
    query.rollupUsage = null;
    query.explicitTags = false;
    return query.build();
  }

  private static String[] split(String text, String ifEmpty) {
    if (text.isEmpty()) {
      throw new OpenTsdbError(400, ifEmpty);
    }
    String[] parts = text.split(":", -1);
    if (parts.length < 2 || parts.length > PARTS_MAX) {
      throw new OpenTsdbError(
          400,
          "Invalid parameter m=%s (%s :-separated parts)"
              .formatted(text, parts.length < 2 ? "not enough" : "too many"));
    }
    return parts;
  }

  private static void parts(String[] parts, SubQuery.Builder query) {
    query.aggregator = parts[0];
    for (int i = 1; i < parts.length - 1; i++) {
      part(parts[i], query);
    }
  }

  private static void part(String part, SubQuery.Builder query) {
    String lower = part.toLowerCase(Locale.ROOT);
    if (lower.startsWith("rate")) {
      query.rate = true;
      if (part.contains("{")) {
        query.rateOptions = rateOptions(part);
      }
    } else if (part.isEmpty()) {
      throw new OpenTsdbError(500, "String index out of range: 0");
    } else if (Character.isDigit(part.charAt(0))) {
      query.downsample = part;
    } else if (lower.equals("pre-agg")) {
      query.preAggregate = true;
    } else if (lower.startsWith("rollup_")) {
      query.rollupUsage = Sources.usage(part);
    } else if (lower.startsWith("percentiles")) {
      query.percentiles = percentiles(part);
    } else if (lower.startsWith("show-histogram-buckets")) {
      query.showHistogramBuckets = true;
    } else if (lower.startsWith("explicit_tags")) {
      query.explicitTags = true;
    }
    // OpenTSDB ignores any other part.
  }

  private static RateOptions rateOptions(String part) {
    if (part.length() < 6) {
      throw new OpenTsdbError(400, "Invalid rate options specification: " + part);
    }
    String[] words = part.substring(5, part.length() - 1).split(",", -1);
    if (words.length > 3) {
      throw new OpenTsdbError(
          400,
          "Incorrect number of values in rate options specification, must be counter[,counter max value,reset value], recieved: %d parts"
              .formatted(words.length));
    }
    return new RateOptions(
        words[0].endsWith("counter"),
        number(words, 1, Long.MAX_VALUE, "Max value of counter was not a number, received '%s'"),
        number(words, 2, 0, "Reset value of counter was not a number, received '%s'"),
        words[0].equals("dropcounter"));
  }

  private static long number(String[] words, int index, long other, String error) {
    if (words.length <= index || words[index].isEmpty()) {
      return other;
    }
    try {
      return Long.parseLong(words[index]);
    } catch (NumberFormatException e) {
      throw new OpenTsdbError(400, error.formatted(words[index]));
    }
  }

  private static List<Float> percentiles(String part) {
    int open = part.indexOf('[');
    int close = part.indexOf(']');
    if (open < 0 || close < open) {
      throw new OpenTsdbError(400, "Malformated percentile query paramater: " + part);
    }
    List<Float> percentiles = new ArrayList<>();
    for (String one : part.substring(open + 1, close).split(",", -1)) {
      try {
        percentiles.add(Float.valueOf(one.trim()));
      } catch (NumberFormatException e) {
        throw new OpenTsdbError(500, String.valueOf(e.getMessage()));
      }
    }
    Collections.sort(percentiles);
    return percentiles;
  }

  /**
   * Reads a metric with up to two pairs of braces: filters that group, and filters that do not.
   *
   * @param filters receives the filters, those that do not group first
   * @return the metric
   * @throws IllegalArgumentException with OpenTSDB's message
   */
  static String metricAndFilters(String text, List<ValueFilter> filters) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("Metric cannot be null or empty");
    }
    int open = text.indexOf('{');
    if (open < 0) {
      return text;
    }
    requireBrace(text);
    if (open == text.length() - 2) {
      return text.substring(0, open);
    }
    int close = text.indexOf('}');
    if (close <= open) {
      // What Java says in OpenTSDB when it cuts the filters out.
      throw new IllegalArgumentException(
          "begin %d, end %d, length %d".formatted(open + 1, close, text.length()));
    }
    boolean two = close != text.length() - 1;
    if (two) {
      String second = text.substring(text.lastIndexOf('{') + 1, text.length() - 1);
      for (String one : second.split(",", -1)) {
        if (one.isEmpty()) {
          break;
        }
        filters.add(filter(one, false, "filter"));
      }
    }
    for (String one : text.substring(open + 1, close).split(",", -1)) {
      if (one.isEmpty() && two) {
        break;
      }
      ValueFilter.addGrouping(filters, filter(one, true, "tag"));
    }
    return text.substring(0, open);
  }

  private static void requireBrace(String text) {
    if (!text.endsWith("}")) {
      throw new IllegalArgumentException("Missing '}' at the end of: " + text);
    }
  }

  private static ValueFilter filter(String pair, boolean groupBy, String what) {
    try {
      String[] words = pair(pair);
      return ValueFilter.ofTag(words[0], words[1], groupBy);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "When parsing %s '%s': %s".formatted(what, pair, e.getMessage()), e);
    }
  }

  private static String[] pair(String text) {
    String[] words = text.split("=", -1);
    if (words.length != 2 || words[0].isEmpty() || words[1].isEmpty()) {
      throw new IllegalArgumentException("invalid tag: " + text);
    }
    return words;
  }

  /**
   * Reads a metric with literal tags, {@code metric{tag=value}}.
   *
   * @param tags receives the tags
   * @return the metric
   * @throws IllegalArgumentException with OpenTSDB's message
   */
  public static String metricAndTags(String text, Map<String, String> tags) {
    int open = text.indexOf('{');
    if (open < 0) {
      return text;
    }
    requireBrace(text);
    if (open < text.length() - 2) {
      for (String one : text.substring(open + 1, text.length() - 1).split(",", -1)) {
        literal(one, tags);
      }
    }
    return text.substring(0, open);
  }

  private static void literal(String one, Map<String, String> tags) {
    try {
      String[] words = pair(one);
      String before = tags.putIfAbsent(words[0], words[1]);
      if (before != null && !before.equals(words[1])) {
        throw new IllegalArgumentException(
            "duplicate tag: %s, tags=%s".formatted(one, new TreeMap<>(tags)));
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "When parsing tag '%s': %s".formatted(one, e.getMessage()), e);
    }
  }

  /**
   * A tag in a search.
   *
   * @param key null for any
   * @param value null for any
   */
  public record Pair(@Nullable String key, @Nullable String value) {}

  /**
   * Reads a metric with tags of which names or values may be missing, {@code metric{tag=,=value}}.
   *
   * @param tags receives the tags
   * @return the metric; null if there is none
   * @throws IllegalArgumentException with OpenTSDB's message
   */
  public static @Nullable String metricAndPairs(String text, List<Pair> tags) {
    int open = text.indexOf('{');
    if (open < 0) {
      return text;
    }
    requireBrace(text);
    if (open == text.length() - 2) {
      if (open == 0) {
        throw new IllegalArgumentException("Missing metric and tags: " + text);
      }
      return text.substring(0, open);
    }
    for (String one : text.substring(open + 1, text.length() - 1).split(",", -1)) {
      if (one.length() < 2) {
        throw new IllegalArgumentException(
            "When parsing tag '%s': Missing tag pair".formatted(one));
      }
      int equals = one.indexOf('=');
      if (equals < 0 || equals != one.lastIndexOf('=')) {
        throw new IllegalArgumentException(
            "When parsing tag '%1$s': invalid tag: %1$s".formatted(one));
      }
      String key = one.substring(0, equals);
      String value = one.substring(equals + 1);
      tags.add(new Pair(key.isEmpty() ? null : key, value.isEmpty() ? null : value));
    }
    return open == 0 ? null : text.substring(0, open);
  }
}
