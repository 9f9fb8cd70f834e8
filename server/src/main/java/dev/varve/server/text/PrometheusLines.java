package dev.varve.server.text;

import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Prometheus' text exposition format, version 0.0.4: {@code name{label="value",...} value
 * [milliseconds]}. Comments, {@code # HELP} and {@code # TYPE} are passed over. Every value is a
 * double. A quoted name in the braces is read too: {@code {"name", label="value"} 1}.
 */
public final class PrometheusLines implements LineFormat {
  private final Resolution target;
  private final LongSupplier now;
  private final KeyCache keys = new KeyCache();

  /**
   * Prepares to read.
   *
   * @param target the resolution of the dataset
   * @param now gives lines without a time theirs, in the target resolution
   */
  public PrometheusLines(Resolution target, LongSupplier now) {
    this.target = target;
    this.now = now;
  }

  @Override
  public void read(byte[] bytes, int from, int to, BatchBuilder into) {
    int start = Scan.skipBlanks(bytes, from, to);
    if (start == to || bytes[start] == '#') {
      return;
    }
    int keyEnd = keyEnd(bytes, start, to);
    GroupKey key = keys.get(bytes, start, keyEnd);
    if (key == null) {
      key = new KeyReader(bytes, start, keyEnd).read();
      keys.put(bytes, start, keyEnd, key);
    }
    int valueFrom = Scan.skipBlanks(bytes, keyEnd, to);
    int valueTo = Scan.wordEnd(bytes, valueFrom, to);
    if (valueFrom == valueTo) {
      throw new BadLineException("the value is missing behind " + Scan.utf8(bytes, start, keyEnd));
    }
    double value = value(bytes, valueFrom, valueTo);
    into.group(key)
        .add(Series.DEFAULT_FIELD, time(bytes, Scan.skipBlanks(bytes, valueTo, to), to), value);
  }

  /**
   * Where name and labels end: behind the closing brace, or at the first blank where there are no
   * braces.
   */
  private static int keyEnd(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && bytes[at] != '{' && bytes[at] != ' ' && bytes[at] != '\t') {
      at++;
    }
    int brace = Scan.skipBlanks(bytes, at, to);
    if (brace == to || bytes[brace] != '{') {
      return at;
    }
    boolean quoted = false;
    for (int i = brace; i < to; i++) {
      if (quoted && bytes[i] == '\\') {
        i++;
      } else if (bytes[i] == '"') {
        quoted = !quoted;
      } else if (!quoted && bytes[i] == '}') {
        return i + 1;
      }
    }
    throw new BadLineException("the labels have no closing brace");
  }

  private static double value(byte[] bytes, int from, int to) {
    return switch (Scan.utf8(bytes, from, to)) {
      case "NaN", "nan", "+NaN", "-NaN" -> Double.NaN;
      case "+Inf", "Inf", "inf", "+inf" -> Double.POSITIVE_INFINITY;
      case "-Inf", "-inf" -> Double.NEGATIVE_INFINITY;
      default -> Scan.real(bytes, from, to, "value");
    };
  }

  private long time(byte[] bytes, int from, int to) {
    int end = Scan.wordEnd(bytes, from, to);
    if (from == end) {
      return now.getAsLong();
    }
    if (Scan.skipBlanks(bytes, end, to) != to) {
      throw new BadLineException(
          "'" + Scan.utf8(bytes, end, to).strip() + "' stands behind the time");
    }
    return Resolution.MILLISECONDS.convert(Scan.integer(bytes, from, end, "time"), target);
  }

  /** Takes name and labels apart. */
  private static final class KeyReader {
    private final byte[] bytes;
    private final int to;
    private int at;
    private final Map<String, String> labels = new TreeMap<>();
    private String name = "";

    private KeyReader(byte[] bytes, int from, int to) {
      this.bytes = bytes;
      this.at = from;
      this.to = to;
    }

    private GroupKey read() {
      name = word();
      skipBlanks();
      if (at < to) {
        at++;
        readLabels();
      }
      if (name.isEmpty()) {
        throw new BadLineException("the name of the metric is missing");
      }
      return GroupKey.of(name, Tags.of(labels));
    }

    private void readLabels() {
      while (true) {
        skipBlanks();
        if (bytes[at] == '}') {
          return;
        }
        boolean quotedName = bytes[at] == '"';
        String label = quotedName ? quoted() : word();
        skipBlanks();
        if (quotedName && name.isEmpty() && (bytes[at] == ',' || bytes[at] == '}')) {
          name = label;
        } else {
          readValue(label);
        }
        skipBlanks();
        if (bytes[at] == ',') {
          at++;
        } else if (bytes[at] != '}') {
          throw new BadLineException("expected , or } behind label '" + label + "'");
        }
      }
    }

    private void readValue(String label) {
      if (label.isEmpty() || bytes[at] != '=') {
        throw new BadLineException(
            "expected label=\"value\" at '" + Scan.utf8(bytes, at, to) + "'");
      }
      at++;
      skipBlanks();
      if (bytes[at] != '"') {
        throw new BadLineException("the value of label '" + label + "' is not quoted");
      }
      if (labels.put(label, quoted()) != null) {
        throw new BadLineException("label '" + label + "' comes twice");
      }
    }

    private String word() {
      int start = at;
      while (at < to && "{}=,\" \t".indexOf(bytes[at]) < 0) {
        at++;
      }
      return Scan.utf8(bytes, start, at);
    }

    /**
     * Reads a quoted text, in which a backslash stands before a quote, a backslash, or {@code n}
     * for a line feed.
     */
    private String quoted() {
      int start = ++at;
      boolean escapes = false;
      while (bytes[at] != '"') {
        if (bytes[at] == '\\') {
          escapes = true;
          at++;
        }
        at++;
      }
      String text = Scan.utf8(bytes, start, at++);
      return escapes ? unescape(text) : text;
    }

    private static String unescape(String text) {
      StringBuilder plain = new StringBuilder(text.length());
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        if (c == '\\' && i + 1 < text.length()) {
          char next = text.charAt(++i);
          switch (next) {
            case 'n' -> plain.append('\n');
            case '"', '\\' -> plain.append(next);
            default -> plain.append(c).append(next);
          }
        } else {
          plain.append(c);
        }
      }
      return plain.toString();
    }

    private void skipBlanks() {
      at = Scan.skipBlanks(bytes, at, to);
    }
  }
}
