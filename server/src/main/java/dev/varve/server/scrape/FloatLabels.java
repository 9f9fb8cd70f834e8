package dev.varve.server.scrape;

import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.query.template.GoNumber;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Labels whose values are numbers, in the one form that OpenMetrics has for each: {@code le} of
 * histograms and {@code quantile} of summaries. Targets write {@code 1} in one format and {@code
 * 1.0} in another. Source: {@code normalizeFloatsInLabelValues} and {@code formatOpenMetricsFloat}
 * in {@code model/textparse} of Prometheus 3.5.
 */
final class FloatLabels {
  /** What Go's {@code strconv.ParseFloat} reads, but for underscores. */
  private static final Pattern DECIMAL =
      Pattern.compile("[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?");

  private static final Pattern HEXADECIMAL =
      Pattern.compile("[-+]?0[xX]([0-9a-fA-F]+\\.?[0-9a-fA-F]*|\\.[0-9a-fA-F]+)[pP][-+]?[0-9]+");

  private static final Pattern INFINITE =
      Pattern.compile("[-+]?inf(inity)?", Pattern.CASE_INSENSITIVE);

  /** No number needs more; it takes time to read many. */
  private static final int LENGTH_MAX = 1_000;

  private FloatLabels() {}

  /**
   * The key with its number in that form; the same key where there is none, or no number in it.
   *
   * @param type of the metrics that the text speaks of, as its last {@code TYPE} line said
   */
  static GroupKey normalized(GroupKey key, String type) {
    String label =
        switch (type) {
          case "histogram" -> "le";
          case "summary" -> "quantile";
          default -> "";
        };
    String value = key.tags().get(label);
    String normalized = value == null ? null : normalized(value);
    if (normalized == null || normalized.equals(value)) {
      return key;
    }
    Map<String, String> tags = new TreeMap<>(key.tags().toMap());
    tags.put(label, normalized);
    return new GroupKey(key.metric(), Tags.of(tags), key.resource());
  }

  /** Null where the text is no number, or one beyond all doubles. */
  private static @Nullable String normalized(String text) {
    if (text.equalsIgnoreCase("nan")) {
      return "NaN";
    }
    if (INFINITE.matcher(text).matches()) {
      return text.startsWith("-") ? "-Inf" : "+Inf";
    }
    if (text.length() > LENGTH_MAX
        || !(DECIMAL.matcher(text).matches() || HEXADECIMAL.matcher(text).matches())) {
      return null;
    }
    double value = Double.parseDouble(text);
    if (Double.isInfinite(value)) {
      return null;
    }
    String shortest = GoNumber.general(value == 0 ? 0 : value, GoNumber.SHORTEST);
    return shortest.indexOf('.') < 0 && shortest.indexOf('e') < 0 ? shortest + ".0" : shortest;
  }
}
