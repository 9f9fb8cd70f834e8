package dev.varve.server.rules;

import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.PromQl;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ObjLongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses the series of rule tests: {@code up{job="a"}} and a sequence of values, one per interval.
 * {@code 1+2x3} stands for 1 3 5 7, {@code 4x2} for 4 4 4, {@code _} for a missing value, {@code
 * _x5} for five missing values, {@code stale} for a staleness marker.
 */
final class InputSeries {
  private static final int VALUES_MAX = 1_000_000;
  private static final String NUMBER =
      "[-+]?(?:[0-9]*\\.?[0-9]+(?:[eE][-+]?[0-9]+)?|0x[0-9a-fA-F]+|[iI]nf|NaN)";
  private static final Pattern ITEM =
      Pattern.compile("(_|stale|" + NUMBER + ")(?:([-+][^x]+))?(?:x([0-9]{1,7}))?");

  private InputSeries() {}

  /**
   * Returns the labels of a series.
   *
   * @throws IllegalArgumentException if the text does not name exactly one series
   */
  static Map<String, String> labels(String text) {
    Map<String, String> labels = new TreeMap<>();
    if (text.isBlank() || text.strip().equals("{}")) {
      return labels;
    }
    if (!(PromQl.parse(text) instanceof Expr.VectorSelector selector)) {
      throw new IllegalArgumentException("'" + text + "' does not name a series");
    }
    for (LabelMatcher matcher : selector.matchers()) {
      if (matcher.operator() != LabelMatcher.Operator.EQUAL) {
        throw new IllegalArgumentException("'" + text + "' names more than one series");
      }
      labels.put(matcher.name(), matcher.value());
    }
    return labels;
  }

  static GroupKey key(Map<String, String> labels) {
    Map<String, String> tags = new TreeMap<>(labels);
    String metric = tags.remove(Series.NAME_LABEL);
    return GroupKey.of(metric == null ? "" : metric, Tags.of(tags));
  }

  /**
   * Passes each value with its position in the sequence to a consumer.
   *
   * @throws IllegalArgumentException if the text is not a sequence of values
   */
  static void values(String text, ObjLongConsumer<Double> into) {
    long at = 0;
    for (String item : text.strip().split("\\s+", -1)) {
      if (item.isEmpty()) {
        continue;
      }
      Matcher matcher = ITEM.matcher(item);
      if (!matcher.matches()) {
        throw new IllegalArgumentException(
            "'" + item + "' is not a value (try 1, 1+2x3, 4x2, _, _x5 or stale)");
      }
      String first = matcher.group(1);
      boolean none = first.equals("_");
      boolean marker = first.equals("stale");
      int times = matcher.group(3) == null ? 0 : Integer.parseInt(matcher.group(3));
      // As in promtool, x5 repeats a missing value or marker 5 times but yields 6 numbers.
      int count = matcher.group(3) == null ? 1 : none || marker ? times : times + 1;
      if (at + count > VALUES_MAX) {
        throw new IllegalArgumentException("a sequence has at most 1,000,000 values");
      }
      double value = none || marker ? 0 : number(first);
      double step = matcher.group(2) == null ? 0 : number(matcher.group(2));
      for (int i = 0; i < count; i++, at++) {
        if (!none) {
          into.accept(marker ? StaleMarker.VALUE : value + i * step, at);
        }
      }
    }
  }

  /**
   * Parses a decimal or hexadecimal number.
   *
   * @throws IllegalArgumentException if the text is not a number
   */
  static double number(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "inf", "+inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      case "nan", "+nan", "-nan" -> Double.NaN;
      default -> {
        if (!text.matches(NUMBER)) {
          throw new IllegalArgumentException("'" + text + "' is not a number");
        }
        yield text.contains("x") ? Long.decode(text) : Double.parseDouble(text);
      }
    };
  }
}
