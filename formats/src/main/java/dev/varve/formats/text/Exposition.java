package dev.varve.formats.text;

import dev.varve.model.BatchBuilder;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Resolution;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Reads the lines that a metrics endpoint exposes, in Prometheus' text format 0.0.4 or OpenMetrics
 * 1.0: samples, and descriptions of their metrics. Sources: <a
 * href="https://prometheus.io/docs/instrumenting/exposition_formats/">Prometheus' page on
 * exposition formats</a> and <a
 * href="https://prometheus.io/docs/specs/om/open_metrics_spec/">OpenMetrics</a>. Exemplars and
 * comments are ignored. Not thread-safe.
 */
public final class Exposition implements LineFormat {
  private static final List<String> TYPES =
      List.of(
          "counter",
          "gauge",
          "histogram",
          "gaugehistogram",
          "summary",
          "info",
          "stateset",
          MetricMetadata.UNKNOWN,
          "untyped");

  /** Maximum number of metrics whose metadata is kept. */
  private static final int METRICS_MAX = 100_000;

  /** Heap bytes of the description of a metric, without its texts. */
  private static final int METADATA_BYTES = 200;

  private final PrometheusLines samples;
  private final boolean openMetrics;
  private final LongConsumer growth;
  private final Map<String, MetricMetadata> said = new LinkedHashMap<>();
  private String type = MetricMetadata.UNKNOWN;
  private boolean ended;

  /**
   * Creates a reader.
   *
   * @param openMetrics whether it is OpenMetrics
   * @param target the resolution of the dataset
   * @param now supplies the time of lines without one, in the target resolution
   * @param given labels that every series gets; they replace its own labels of the same names
   * @param growth called with a number of bytes before metadata takes them; may throw
   */
  public Exposition(
      boolean openMetrics,
      Resolution target,
      LongSupplier now,
      Map<String, String> given,
      LongConsumer growth) {
    this.openMetrics = openMetrics;
    this.growth = growth;
    this.samples = new PrometheusLines(target, now, openMetrics, given);
  }

  /** Returns whether a body of this content type is OpenMetrics. */
  public static boolean isOpenMetrics(String contentType) {
    return contentType.strip().regionMatches(true, 0, "application/openmetrics-text", 0, 28);
  }

  /**
   * Returns the type of the last {@code TYPE} line; {@link MetricMetadata#UNKNOWN} before the
   * first. As in Prometheus, it is the type of all samples after the line, whatever their names.
   */
  public String type() {
    return type;
  }

  /** Returns the descriptions of metrics in the lines read so far. */
  public Collection<MetricMetadata> metadata() {
    return said.values();
  }

  /**
   * Returns the problem of a body that ends here; empty for none. OpenMetrics has an end mark, so
   * that a truncated body is detected.
   */
  public String problemAtEnd() {
    return openMetrics && !ended
        ? "the body has no '# EOF' as its last line: it may have been cut off"
        : "";
  }

  @Override
  public void read(byte[] bytes, int from, int to, BatchBuilder into) {
    if (isSample(bytes, from, to)) {
      samples.read(bytes, from, to, into);
    }
  }

  /**
   * Like the method above; also reports which samples have a time of their own.
   *
   * @throws BadLineException if the line is not of the format; the sink has received nothing
   */
  public <E extends Exception> void read(byte[] bytes, int from, int to, SampleSink<E> into)
      throws E {
    if (isSample(bytes, from, to)) {
      samples.read(bytes, from, to, into);
    }
  }

  /** Returns whether the line is a sample; otherwise reads it. */
  private boolean isSample(byte[] bytes, int from, int to) {
    int start = Scan.skipBlanks(bytes, from, to);
    if (start == to) {
      return false;
    }
    if (ended) {
      throw new BadLineException("unexpected line after '# EOF'");
    }
    if (bytes[start] == '#') {
      comment(bytes, Scan.skipBlanks(bytes, start + 1, to), to);
      return false;
    }
    return true;
  }

  private void comment(byte[] bytes, int from, int to) {
    int wordEnd = Scan.wordEnd(bytes, from, to);
    int next = Scan.skipBlanks(bytes, wordEnd, to);
    switch (new String(bytes, from, wordEnd - from, StandardCharsets.UTF_8)) {
      case "EOF" -> ended = openMetrics && next == to;
      case "TYPE" -> {
        Named line = named(bytes, next, to);
        String word = line.rest.strip();
        if (!TYPES.contains(word)) {
          throw new BadLineException(
              "'%s' is no type of a metric: %s are".formatted(Scan.shown(word), TYPES));
        }
        type = word.equals("untyped") ? MetricMetadata.UNKNOWN : word;
        MetricMetadata before = before(line.metric);
        say(new MetricMetadata(line.metric, type, before.unit(), before.help()));
      }
      case "HELP" -> {
        Named line = named(bytes, next, to);
        MetricMetadata before = before(line.metric);
        say(
            new MetricMetadata(
                line.metric, before.type(), before.unit(), unescape(line.rest, openMetrics)));
      }
      case "UNIT" -> {
        if (openMetrics) {
          Named line = named(bytes, next, to);
          MetricMetadata before = before(line.metric);
          say(new MetricMetadata(line.metric, before.type(), line.rest.strip(), before.help()));
        }
      }
      default -> {
        // A comment for people.
      }
    }
  }

  private MetricMetadata before(String metric) {
    return said.getOrDefault(metric, new MetricMetadata(metric, MetricMetadata.UNKNOWN, "", ""));
  }

  private void say(MetricMetadata metadata) {
    if (said.size() < METRICS_MAX || said.containsKey(metadata.metric())) {
      long characters =
          (long) metadata.metric().length() + metadata.unit().length() + metadata.help().length();
      growth.accept(METADATA_BYTES + 2 * characters);
      said.put(metadata.metric(), metadata);
    }
  }

  /** A line that describes a metric. */
  private record Named(String metric, String rest) {}

  private static Named named(byte[] bytes, int from, int to) {
    if (from < to && bytes[from] == '"') {
      int end = from + 1;
      while (end < to && bytes[end] != '"') {
        end += bytes[end] == '\\' ? 2 : 1;
      }
      if (end >= to) {
        throw new BadLineException(
            "the name " + Scan.shown(bytes, from, to) + " has no closing quote");
      }
      String name = unescape(Scan.text(bytes, from + 1, end), true);
      return new Named(checked(name), rest(bytes, end + 1, to));
    }
    int end = Scan.wordEnd(bytes, from, to);
    return new Named(checked(Scan.text(bytes, from, end)), rest(bytes, end, to));
  }

  private static String checked(String name) {
    if (name.isEmpty()) {
      throw new BadLineException("the name of a metric is missing: # TYPE name counter");
    }
    return name;
  }

  private static String rest(byte[] bytes, int from, int to) {
    int start = Scan.skipBlanks(bytes, from, to);
    int end = to > start && bytes[to - 1] == '\r' ? to - 1 : to;
    return Scan.text(bytes, start, end);
  }

  /**
   * Resolves escapes: a backslash before a backslash, {@code n} for a line feed, or a quote if
   * {@code quotes} is true.
   */
  private static String unescape(String text, boolean quotes) {
    if (text.indexOf('\\') < 0) {
      return text;
    }
    StringBuilder plain = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      char next = i + 1 < text.length() ? text.charAt(i + 1) : 0;
      if (c == '\\' && (next == '\\' || next == 'n' || (quotes && next == '"'))) {
        plain.append(next == 'n' ? '\n' : next);
        i++;
      } else {
        plain.append(c);
      }
    }
    return plain.toString();
  }
}
