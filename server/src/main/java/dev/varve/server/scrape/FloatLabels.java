package dev.varve.server.scrape;

import dev.varve.formats.number.GoNumber;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Normalizes numbers in label values to OpenMetrics' canonical form: {@code le} of histograms and
 * {@code quantile} of summaries. Targets write {@code 1} in one format and {@code 1.0} in another.
 * Source: {@code normalizeFloatsInLabelValues} and {@code formatOpenMetricsFloat} in {@code
 * model/textparse} of Prometheus 3.5.
 */
final class FloatLabels {
  /** The syntax of Go's {@code strconv.ParseFloat} without underscores. */
  private static final Pattern DECIMAL =
      Pattern.compile("[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?");

  private static final Pattern HEXADECIMAL =
      Pattern.compile("[-+]?0[xX]([0-9a-fA-F]+\\.?[0-9a-fA-F]*|\\.[0-9a-fA-F]+)[pP][-+]?[0-9]+");

  private static final Pattern INFINITE =
      Pattern.compile("[-+]?inf(inity)?", Pattern.CASE_INSENSITIVE);

  /**
   * Maximum length of a number, in characters: no number needs more, and parsing long ones takes
   * time.
   */
  private static final int LENGTH_MAX = 1_000;

  private FloatLabels() {}

  /**
   * Returns the key with its number normalized, or the same key if it has no such label or the
   * value is not a number.
   *
   * @param type type of the metric, from the last {@code TYPE} line
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

  /** Returns null if the text is not a number or exceeds the range of doubles. */
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
