package dev.varve.server.prometheus;

import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.eval.Labels;
import java.io.IOException;
import java.io.Writer;
import java.util.regex.Pattern;

/**
 * Writes Prometheus' <a
 * href="https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format">text
 * format</a>.
 */
final class TextFormat {
  private static final Pattern METRIC = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");
  private static final Pattern LABEL = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");

  private final Writer out;
  private final boolean quoted;

  /**
   * @param quoted whether names that are not identifiers are quoted; otherwise each invalid
   *     character becomes an underscore
   */
  TextFormat(Writer out, boolean quoted) {
    this.out = out;
    this.quoted = quoted;
  }

  void type(String metric, String type) throws IOException {
    out.write("# TYPE ");
    out.write(METRIC.matcher(metric).matches() ? metric : foreign(metric, true));
    out.write(' ');
    out.write(type);
    out.write('\n');
  }

  /**
   * Writes a sample.
   *
   * @param present a label that is written even if the series does not have it
   * @param time in ms since 1970
   */
  void sample(Labels labels, String present, String value, long time) throws IOException {
    String metric = labels.get(LabelMatcher.METRIC_NAME);
    boolean plain = METRIC.matcher(metric).matches() || !quoted;
    out.write(plain ? legacy(metric, true) + "{" : "{" + quote(metric));
    String between = plain ? "" : ",";
    boolean[] isPresent = {false};
    StringBuilder pairs = new StringBuilder();
    labels.forEach((name, text) -> {
      isPresent[0] |= name.equals(present);
      if (!name.equals(LabelMatcher.METRIC_NAME)) {
        pairs.append(pairs.isEmpty() ? "" : ",");
        pairs.append(LABEL.matcher(name).matches() ? name : foreign(name, false));
        pairs.append('=').append(quote(text));
      }
    });
    if (!isPresent[0]) {
      pairs.append(pairs.isEmpty() ? "" : ",").append(present).append("=\"\"");
    }
    out.write(between + pairs + "} " + value + " " + time + "\n");
  }

  private String foreign(String name, boolean metric) {
    return quoted ? quote(name) : legacy(name, metric);
  }

  private static String legacy(String name, boolean metric) {
    StringBuilder legacy = new StringBuilder();
    name.codePoints()
        .forEach(c -> {
          boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
          boolean digit = c >= '0' && c <= '9' && !legacy.isEmpty();
          legacy.append(letter || digit || (metric && c == ':') ? (char) c : '_');
        });
    return legacy.toString();
  }

  private static String quote(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }
}
