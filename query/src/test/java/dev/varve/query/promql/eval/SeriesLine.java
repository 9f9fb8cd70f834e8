package dev.varve.query.promql.eval;

import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.PromQl;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A series with its values in Prometheus' notation: {@code a{b="c"} 1 2 _ 3+1x4 stale}.
 *
 * @param labels the labels, including the name
 * @param values one per step; null for none
 */
record SeriesLine(Map<String, String> labels, List<@Nullable Double> values) {
  private static final String NUMBER =
      "[-+]?(?:[Ii]nf|NaN|0[xX][0-9a-fA-F]+|[0-9]*\\.?[0-9]+(?:[eE][-+]?[0-9]+)?|[0-9]+\\.)";
  private static final Pattern REPEATED =
      Pattern.compile("(%1$s|_)(?:([-+])(%1$s))?x([0-9]+)".formatted(NUMBER));

  static SeriesLine parse(String line) {
    int end = endOfSeries(line);
    return new SeriesLine(labels(line.substring(0, end)), values(line.substring(end)));
  }

  /** Returns the labels without the name. */
  Map<String, String> tags() {
    Map<String, String> tags = new TreeMap<>(labels);
    tags.remove(Series.NAME_LABEL);
    return tags;
  }

  String metric() {
    return labels.getOrDefault(Series.NAME_LABEL, "");
  }

  private static int endOfSeries(String line) {
    boolean quoted = false;
    int depth = 0;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (quoted) {
        i += c == '\\' ? 1 : 0;
        quoted = c != '"';
      } else if (c == '"') {
        quoted = true;
      } else if (c == '{') {
        depth++;
      } else if (c == '}' && --depth == 0) {
        return i + 1;
      } else if (depth == 0 && Character.isWhitespace(c) && !opensNext(line, i)) {
        return i;
      }
    }
    return line.length();
  }

  /** Returns whether braces follow that do not start a histogram, as in {@code a {b="c"} 1}. */
  private static boolean opensNext(String line, int at) {
    String rest = line.substring(at).stripLeading();
    return rest.startsWith("{") && !rest.startsWith("{{");
  }

  private static Map<String, String> labels(String text) {
    Map<String, String> labels = new TreeMap<>();
    if (text.equals("{}")) {
      return labels;
    }
    Expr.VectorSelector selector = (Expr.VectorSelector) PromQl.parse(text);
    for (LabelMatcher matcher : selector.matchers()) {
      labels.put(matcher.name(), matcher.value());
    }
    return labels;
  }

  private static List<@Nullable Double> values(String text) {
    if (text.contains("{{")) {
      throw new AssertionError("native histograms are not held: " + text);
    }
    List<@Nullable Double> values = new ArrayList<>();
    for (String item : text.strip().split("\\s+", -1)) {
      Matcher repeated = REPEATED.matcher(item);
      if (repeated.matches()) {
        repeat(repeated, values);
      } else if (!item.isEmpty()) {
        values.add(item.equals("_") ? null : number(item));
      }
    }
    return values;
  }

  private static void repeat(Matcher repeated, List<@Nullable Double> values) {
    int times = Integer.parseInt(repeated.group(4));
    if (repeated.group(1).equals("_")) {
      for (int i = 0; i < times; i++) {
        values.add(null);
      }
      return;
    }
    double step = repeated.group(3) == null ? 0 : number(repeated.group(3));
    double value = number(repeated.group(1));
    for (int i = 0; i <= times; i++) {
      values.add(value);
      value += "-".equals(repeated.group(2)) ? -step : step;
    }
  }

  /** Parses a number, which may be hexadecimal as in Go; {@code stale} is a staleness marker. */
  static double number(String text) {
    return switch (text) {
      case "stale" -> StaleMarker.VALUE;
      case "NaN" -> Double.NaN;
      case "Inf", "+Inf", "inf", "+inf" -> Double.POSITIVE_INFINITY;
      case "-Inf", "-inf" -> Double.NEGATIVE_INFINITY;
      default ->
          text.matches("[-+]?0[xX].*") ? Long.decode(text).doubleValue() : Double.parseDouble(text);
    };
  }
}
