package dev.varve.server.otlp;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Translates the names of OpenTelemetry's metrics and attributes as Prometheus 3.5 does: only
 * letters, digits and colons are kept, everything else becomes an underscore; units and {@code
 * total} are appended as suffixes. Source: <a
 * href="https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/">the
 * compatibility specification</a> and package {@code otlptranslator} of Prometheus 3.5.0.
 */
final class PrometheusNames {
  private static final Map<String, String> UNITS =
      Map.ofEntries(
          Map.entry("d", "days"),
          Map.entry("h", "hours"),
          Map.entry("min", "minutes"),
          Map.entry("s", "seconds"),
          Map.entry("ms", "milliseconds"),
          Map.entry("us", "microseconds"),
          Map.entry("ns", "nanoseconds"),
          Map.entry("By", "bytes"),
          Map.entry("KiBy", "kibibytes"),
          Map.entry("MiBy", "mebibytes"),
          Map.entry("GiBy", "gibibytes"),
          Map.entry("TiBy", "tibibytes"),
          Map.entry("KBy", "kilobytes"),
          Map.entry("MBy", "megabytes"),
          Map.entry("GBy", "gigabytes"),
          Map.entry("TBy", "terabytes"),
          Map.entry("m", "meters"),
          Map.entry("V", "volts"),
          Map.entry("A", "amperes"),
          Map.entry("J", "joules"),
          Map.entry("W", "watts"),
          Map.entry("g", "grams"),
          Map.entry("Cel", "celsius"),
          Map.entry("Hz", "hertz"),
          Map.entry("1", ""),
          Map.entry("%", "percent"));

  private static final Map<String, String> PER =
      Map.of(
          "s", "second",
          "m", "minute",
          "h", "hour",
          "d", "day",
          "w", "week",
          "mo", "month",
          "y", "year");

  private PrometheusNames() {}

  /**
   * Returns the name of a metric.
   *
   * @param unit in UCUM's case-sensitive spelling, as in OpenTelemetry; may be empty
   * @param counter whether the metric is a monotonic sum
   * @param gauge whether the metric is a gauge
   * @return empty if the name contains no allowed character
   */
  static String metric(String name, String unit, boolean counter, boolean gauge) {
    List<String> words = words(name);
    int per = unit.indexOf('/');
    addUnit(
        words,
        word(per < 0 ? unit : unit.substring(0, per), UNITS, ""),
        per < 0 ? "" : word(unit.substring(per + 1), PER, "per_"));
    if (counter) {
      words.removeIf("total"::equals);
      words.add("total");
    }
    if (gauge && unit.equals("1")) {
      words.removeIf("ratio"::equals);
      words.add("ratio");
    }
    String joined = String.join("_", words);
    return startsWithDigit(joined) ? "_" + joined : joined;
  }

  /** Splits a name at the characters that Prometheus does not allow, and at underscores. */
  private static List<String> words(String name) {
    List<String> words = new ArrayList<>();
    int start = -1;
    for (int i = 0; i <= name.length(); i++) {
      boolean within = i < name.length() && (isPlain(name.charAt(i)) || name.charAt(i) == ':');
      if (within && start < 0) {
        start = i;
      } else if (!within && start >= 0) {
        words.add(name.substring(start, i));
        start = -1;
      }
    }
    return words;
  }

  /** Returns a unit written out; empty for annotations such as <code>{packets}</code>. */
  private static String word(String unit, Map<String, String> known, String before) {
    String bare = unit.strip();
    if (bare.isEmpty() || bare.indexOf('{') >= 0 || bare.indexOf('}') >= 0) {
      return "";
    }
    String word = known.getOrDefault(bare, bare);
    return word.isEmpty() ? "" : clean(before + word);
  }

  private static String clean(String unit) {
    String clean = replaced(unit, ":").replaceAll("_{2,}", "_");
    return clean.startsWith("_") ? clean.substring(1) : clean;
  }

  /** Adds the units that the name does not contain already. */
  private static void addUnit(List<String> words, String unit, String perUnit) {
    String main = words.contains(unit) ? "" : unit;
    String per = perUnit.equals("per_") ? "" : withoutEnd(perUnit);
    if (words.contains(per)) {
      per = "";
    }
    if (!per.isEmpty()) {
      main = withoutEnd(main);
    }
    if (!main.isEmpty()) {
      words.add(main);
    }
    if (!per.isEmpty()) {
      words.add(per);
    }
  }

  private static String withoutEnd(String unit) {
    return unit.endsWith("_") ? unit.substring(0, unit.length() - 1) : unit;
  }

  /** Returns the label name for an attribute. */
  static String label(String attribute) {
    String label = replaced(attribute, "");
    if (startsWithDigit(label)) {
      return "key_" + label;
    }
    return label.startsWith("_") && !label.startsWith("__") ? "key" + label : label;
  }

  /** Replaces all characters except letters, digits and the given others with underscores. */
  private static String replaced(String text, String others) {
    StringBuilder replaced = new StringBuilder(text.length());
    text.codePoints()
        .forEach(c ->
            replaced.append(
                c < 128 && (isPlain((char) c) || others.indexOf(c) >= 0) ? (char) c : '_'));
    return replaced.toString();
  }

  private static boolean isPlain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  private static boolean startsWithDigit(String text) {
    return !text.isEmpty() && text.charAt(0) >= '0' && text.charAt(0) <= '9';
  }
}
