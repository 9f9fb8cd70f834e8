package dev.varve.formats.text;

import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Prometheus' text exposition format, version 0.0.4: {@code name{label="value",...} value
 * [milliseconds]}. Comments, {@code # HELP} and {@code # TYPE} are ignored. Every value is a
 * double. A quoted name in the braces is read too: {@code {"name", label="value"} 1}. A label with
 * an empty value counts as absent, as in Prometheus. Source: the pages on exposition formats and on
 * UTF-8 in Prometheus' documentation.
 */
public final class PrometheusLines implements LineFormat {
  /**
   * Beyond the times of any dataset, and within the range in which a double counts milliseconds.
   */
  private static final double SECONDS_MAX = 9e12;

  private static final int SECONDS_DIGITS_MAX = 40;

  /** The keys of series, which are the same in all lines without given labels. */
  private static final KeyCache<GroupKey> KEYS = KeyCache.shared();

  private final Resolution target;
  private final LongSupplier now;
  private final boolean openMetrics;
  private final Map<String, String> given;
  private final KeyCache<GroupKey> keys;

  /** The content of the last line. */
  private double value;

  private long time;
  private boolean timed;

  /**
   * Creates a reader.
   *
   * @param target resolution of the dataset
   * @param now supplies the time of lines without one, in the target resolution
   */
  public PrometheusLines(Resolution target, LongSupplier now) {
    this(target, now, false, Map.of());
  }

  /**
   * Creates a reader of one of two formats.
   *
   * @param openMetrics whether lines are of OpenMetrics 1.0: times in seconds with a fraction, and
   *     after them maybe an exemplar, which is skipped
   * @param given labels that every line gets; they replace its own labels of the same names
   */
  PrometheusLines(
      Resolution target, LongSupplier now, boolean openMetrics, Map<String, String> given) {
    this.target = target;
    this.now = now;
    this.openMetrics = openMetrics;
    this.given = given;
    this.keys = given.isEmpty() ? KEYS : KeyCache.ofRequest();
  }

  @Override
  public void read(byte[] bytes, int from, int to, BatchBuilder into) {
    GroupKey key = parse(bytes, from, to);
    if (key != null) {
      into.group(key).add(Series.DEFAULT_FIELD, time, value);
    }
  }

  /** Reads one line for a caller that needs to know whether it has a time. */
  <E extends Exception> void read(byte[] bytes, int from, int to, SampleSink<E> into) throws E {
    GroupKey key = parse(bytes, from, to);
    if (key != null) {
      into.take(key, timed, time, value);
    }
  }

  /** Parses a line into the fields; null if it has no sample. */
  private @Nullable GroupKey parse(byte[] bytes, int from, int to) {
    int start = Scan.skipBlanks(bytes, from, to);
    if (start == to || bytes[start] == '#') {
      return null;
    }
    int keyEnd = keyEnd(bytes, start, to);
    GroupKey key = keys.get(bytes, start, keyEnd);
    if (key == null) {
      key = new KeyReader(bytes, start, keyEnd).read(given);
      keys.put(bytes, start, keyEnd, key);
    }
    int valueFrom = Scan.skipBlanks(bytes, keyEnd, to);
    int valueTo = Scan.wordEnd(bytes, valueFrom, to);
    if (valueFrom == valueTo) {
      throw new BadLineException("no value after " + Scan.shown(bytes, start, keyEnd));
    }
    value = Scan.realOrSpecial(Scan.text(bytes, valueFrom, valueTo), "value");
    readTime(bytes, Scan.skipBlanks(bytes, valueTo, to), to);
    return key;
  }

  /**
   * Returns the end of name and labels: after the closing brace, or at the first blank if there are
   * no braces.
   */
  private static int keyEnd(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && bytes[at] != '{' && !Scan.isBlank(bytes[at])) {
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

  private void readTime(byte[] bytes, int from, int to) {
    int end = Scan.wordEnd(bytes, from, to);
    timed = from != end && !isExemplar(bytes, from, to);
    time = timed ? time(bytes, from, end, to) : now.getAsLong();
  }

  private long time(byte[] bytes, int from, int end, int to) {
    int next = Scan.skipBlanks(bytes, end, to);
    if (next != to && !isExemplar(bytes, next, to)) {
      throw new BadLineException(
          "unexpected \'" + Scan.shown(bytes, end, to).strip() + "\' after the time");
    }
    try {
      return openMetrics
          ? ofSeconds(bytes, from, end)
          : Resolution.MILLISECONDS.convert(Scan.integer(bytes, from, end, "time"), target);
    } catch (ArithmeticException e) {
      throw new BadLineException(
          "time '" + Scan.shown(bytes, from, end) + "' is too large for " + target.symbol());
    }
  }

  private boolean isExemplar(byte[] bytes, int from, int to) {
    return openMetrics && from < to && bytes[from] == '#';
  }

  /** Parses a time in seconds, and rounds it to the resolution. */
  private long ofSeconds(byte[] bytes, int from, int end) {
    double seconds = Scan.real(bytes, from, end, "time");
    if (Math.abs(seconds) > SECONDS_MAX) {
      throw new ArithmeticException();
    }
    String text = new String(bytes, from, end - from, StandardCharsets.US_ASCII);
    // A decimal fraction is exact; with an exponent it could have very many digits.
    return text.length() <= SECONDS_DIGITS_MAX && text.matches("[-+]?[0-9]+(\\.[0-9]*)?")
        ? new BigDecimal(text)
            .multiply(BigDecimal.valueOf(target.perSecond()))
            .setScale(0, RoundingMode.HALF_EVEN)
            .longValueExact()
        : Math.round(seconds * target.perSecond());
  }

  /**
   * Parses name and labels. The caller has verified that the key ends with a closing brace outside
   * of quotes, or has no brace; everything else is checked here.
   */
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

    private GroupKey read(Map<String, String> given) {
      name = word();
      skipBlanks();
      if (at < to) {
        expect('{', "the name of the metric ends at a blank or {; any other name is quoted");
        readLabels();
      }
      if (at < to) {
        throw new BadLineException("unexpected '" + rest() + "' after the labels");
      }
      if (name.isEmpty()) {
        throw new BadLineException("the name of the metric is missing: name{label=\"value\"} 1");
      }
      labels.putAll(given);
      labels.values().removeIf(String::isEmpty);
      return GroupKey.of(name, Tags.of(labels));
    }

    private void readLabels() {
      skipBlanks();
      while (!is('}')) {
        boolean quotedName = is('"');
        String label = quotedName ? quoted() : word();
        skipBlanks();
        if (quotedName && name.isEmpty() && (is(',') || is('}'))) {
          name = label;
        } else {
          readValue(label);
        }
        skipBlanks();
        if (!is('}')) {
          expect(',', "expected , or } after label '" + Scan.shown(label) + "'");
        }
        skipBlanks();
      }
      at++;
    }

    private void readValue(String label) {
      if (label.isEmpty() || label.equals(Series.NAME_LABEL)) {
        throw new BadLineException(
            "expected label=\"value\" at '" + Scan.shown(label) + rest() + "'");
      }
      expect('=', "label '" + Scan.shown(label) + "' has no value");
      skipBlanks();
      if (!is('"')) {
        throw new BadLineException(
            "the value of label '" + Scan.shown(label) + "' is not quoted: '" + rest() + "'");
      }
      if (labels.put(label, quoted()) != null) {
        throw new BadLineException("label '" + Scan.shown(label) + "' comes twice");
      }
    }

    private String word() {
      int start = at;
      while (at < to && "{}=,\" \t\r".indexOf(bytes[at]) < 0) {
        at++;
      }
      return Scan.text(bytes, start, at);
    }

    /**
     * Reads a quoted string, in which a backslash escapes a quote, a backslash, or {@code n} for a
     * line feed.
     */
    private String quoted() {
      int start = ++at;
      boolean escapes = false;
      while (at < to && bytes[at] != '"') {
        if (bytes[at] == '\\') {
          escapes = true;
          at++;
        }
        at++;
      }
      if (at >= to) {
        throw new BadLineException("'" + Scan.shown(bytes, start, to) + "' has no closing quote");
      }
      String text = Scan.text(bytes, start, at++);
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

    private boolean is(char c) {
      return at < to && bytes[at] == c;
    }

    private void expect(char c, String otherwise) {
      if (!is(c)) {
        throw new BadLineException(otherwise + ": '" + rest() + "'");
      }
      at++;
    }

    private String rest() {
      return Scan.shown(bytes, Math.min(at, to), to);
    }

    private void skipBlanks() {
      at = Scan.skipBlanks(bytes, at, to);
    }
  }
}
