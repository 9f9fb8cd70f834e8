package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.query.promql.Durations;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.PromQl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A script in the language in which Prometheus tests its queries: samples are loaded, expressions
 * worked out, results compared.
 *
 * <pre>
 * clear                                    forgets all samples
 * load 30s                                 series with samples every 30 s from time 0 on:
 *   a{b="c"} 1 2 _ 3+1x4 stale             values; none; 3 4 5 6 7; a marker of staleness
 * eval instant at 5m EXPRESSION            or: eval range from 0 to 5m step 1m EXPRESSION
 *   expect fail|warn|info [msg: TEXT], expect ordered
 *   a{b="c"} 1 _ 2                         what is expected, one value a step
 *   42                                     a scalar
 * </pre>
 */
final class PromScript {
  private static final Pattern EVAL =
      Pattern.compile("eval (?:instant at (\\S+)|range from (\\S+) to (\\S+) step (\\S+)) (.+)");
  private static final Pattern REPEATED =
      Pattern.compile("(-?[0-9.eE]+|NaN|[-+]?Inf|_|stale)(?:([+-][0-9.eE]+))?x([0-9]+)");

  /** Where samples go, and where queries get them. */
  interface Subject {
    void clear();

    void add(Series series, long time, double value);

    PromQuery query(String expression);

    /** The time in ms since 1970 that is time 0 of the script. */
    default long origin() {
      return 0;
    }
  }

  private final Subject subject;
  private final List<String> lines;
  private int at;

  PromScript(String text, Subject subject) {
    this.subject = subject;
    this.lines = text.lines().toList();
  }

  /** Runs it, and tells how many expressions were worked out. */
  int run() {
    int evaluations = 0;
    while (at < lines.size()) {
      String line = lines.get(at).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        at++;
      } else if (line.equals("clear")) {
        subject.clear();
        at++;
      } else if (line.startsWith("load ")) {
        load(Durations.parse(line.substring(5).strip()));
      } else {
        evaluate(line);
        evaluations++;
      }
    }
    return evaluations;
  }

  private List<String> block() {
    List<String> block = new ArrayList<>();
    for (at++; at < lines.size() && !lines.get(at).isBlank(); at++) {
      String line = lines.get(at).strip();
      if (!line.startsWith("#")) {
        block.add(line);
      }
    }
    return block;
  }

  private void load(Duration gap) {
    for (String line : block()) {
      int end = endOfSeries(line);
      Series series = series(line.substring(0, end));
      List<String> values = values(line.substring(end));
      for (int i = 0; i < values.size(); i++) {
        if (!values.get(i).equals("_")) {
          subject.add(series, subject.origin() + i * gap.toMillis(), value(values.get(i)));
        }
      }
    }
  }

  private static int endOfSeries(String line) {
    int brace = line.lastIndexOf('}');
    int space = line.indexOf(' ');
    return brace >= 0 ? brace + 1 : space < 0 ? line.length() : space;
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

  private static Series series(String text) {
    Map<String, String> labels = labels(text);
    String metric = labels.remove(Series.NAME_LABEL);
    GroupKey key = new GroupKey(metric == null ? "" : metric, Tags.of(labels), Tags.EMPTY);
    return key.field(Series.DEFAULT_FIELD);
  }

  private static List<String> values(String text) {
    List<String> values = new ArrayList<>();
    for (String item : text.strip().split("\\s+", -1)) {
      Matcher repeated = REPEATED.matcher(item);
      if (!repeated.matches()) {
        values.add(item);
        continue;
      }
      int times = Integer.parseInt(repeated.group(3));
      boolean nothing = item.startsWith("_") || item.startsWith("stale");
      double step = repeated.group(2) == null ? 0 : Double.parseDouble(repeated.group(2));
      for (int i = 0; i < (nothing ? times : times + 1); i++) {
        values.add(
            nothing ? repeated.group(1) : Double.toString(value(repeated.group(1)) + i * step));
      }
    }
    return values;
  }

  private static double value(String text) {
    return switch (text) {
      case "stale" -> Double.longBitsToDouble(SampleVector.STALE_BITS);
      case "NaN" -> Double.NaN;
      case "Inf", "+Inf", "Infinity" -> Double.POSITIVE_INFINITY;
      case "-Inf", "-Infinity" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }

  private long millis(String text) {
    return subject.origin() + since(text);
  }

  private static long since(String text) {
    return text.equals("0") ? 0 : Durations.parse(text).toMillis();
  }

  private void evaluate(String line) {
    Matcher eval = EVAL.matcher(line);
    assertThat(eval.matches()).as("line %d: %s", at + 1, line).isTrue();
    String where = "line %d: %s".formatted(at + 1, line);
    String expression = eval.group(5);
    List<String> expected = block();
    List<String> expectations = expected.stream().filter(l -> l.startsWith("expect ")).toList();
    List<String> rows = expected.stream().filter(l -> !l.startsWith("expect ")).toList();
    if (expectations.stream().anyMatch(e -> e.startsWith("expect fail"))) {
      assertThatThrownBy(() -> result(eval, subject.query(expression)))
          .as(where)
          .hasMessageContaining(text(expectations, "fail"));
      return;
    }
    PromQuery query = subject.query(expression);
    PromResult result = result(eval, query);
    boolean ordered = expectations.contains("expect ordered");
    compare(where, rows, result, ordered, eval);
    notes(where, expectations, "warn", query.notes().warnings());
    notes(where, expectations, "info", query.notes().infos());
  }

  private PromResult result(Matcher eval, PromQuery query) {
    if (eval.group(1) != null) {
      return query.instant(millis(eval.group(1)));
    }
    return query.range(
        millis(eval.group(2)), millis(eval.group(3)), Durations.parse(eval.group(4)));
  }

  private static String text(List<String> expectations, String kind) {
    for (String expectation : expectations) {
      if (expectation.startsWith("expect " + kind + " msg: ")) {
        return expectation.substring(("expect " + kind + " msg: ").length());
      }
    }
    return "";
  }

  private static void notes(
      String where, List<String> expectations, String kind, List<String> notes) {
    boolean wanted = expectations.stream().anyMatch(e -> e.startsWith("expect " + kind));
    if (!wanted) {
      assertThat(notes).as(where + ": " + kind).isEmpty();
    } else {
      assertThat(notes).as(where + ": " + kind).isNotEmpty();
      assertThat(String.join("\n", notes)).as(where).contains(text(expectations, kind));
    }
  }

  private void compare(
      String where, List<String> rows, PromResult result, boolean ordered, Matcher eval) {
    if (result instanceof PromResult.Scalar scalar) {
      assertThat(rows).as(where).hasSize(1);
      assertSame(where, value(rows.getFirst()), scalar.value());
      return;
    }
    if (result instanceof PromResult.Text text) {
      assertThat(rows).as(where).containsExactly('"' + text.text() + '"');
      return;
    }
    Map<String, List<String>> expected = new LinkedHashMap<>();
    for (String row : rows) {
      int end =
          row.startsWith("{") || row.contains("{") ? row.lastIndexOf('}') + 1 : row.indexOf(' ');
      end = Character.isLetter(row.charAt(0)) || row.startsWith("{") ? end : 0;
      String key = end == 0 ? "{}" : Labels.of(labels(row.substring(0, end))).toString();
      expected.put(key, values(row.substring(end)));
    }
    Map<String, Map<Long, Double>> actual = rowsOf(result);
    if (ordered) {
      assertThat(List.copyOf(actual.keySet())).as(where).isEqualTo(List.copyOf(expected.keySet()));
    }
    assertThat(actual.keySet()).as(where).isEqualTo(expected.keySet());
    long start = eval.group(1) != null ? millis(eval.group(1)) : millis(eval.group(2));
    long step = eval.group(1) != null ? 1 : Durations.parse(eval.group(4)).toMillis();
    expected.forEach((key, values) -> {
      Map<Long, Double> got = Objects.requireNonNull(actual.get(key));
      for (int i = 0; i < values.size(); i++) {
        Double value = got.remove(start + i * step);
        String place = "%s: %s, value %d".formatted(where, key, i);
        if (values.get(i).equals("_")) {
          assertThat(value).as(place).isNull();
        } else {
          assertThat(value).as(place).isNotNull();
          assertSame(place, value(values.get(i)), value);
        }
      }
      assertThat(got).as("%s: %s has more", where, key).isEmpty();
    });
  }

  private static Map<String, Map<Long, Double>> rowsOf(PromResult result) {
    Map<String, Map<Long, Double>> rows = new LinkedHashMap<>();
    switch (result) {
      case PromResult.Vector vector ->
          vector
              .elements()
              .forEach(element ->
                  rows.computeIfAbsent(element.labels().toString(), key -> new TreeMap<>())
                      .put(vector.time(), element.value()));
      case PromResult.Matrix matrix ->
          matrix
              .lines()
              .forEach(line -> {
                Map<Long, Double> values = new TreeMap<>();
                for (int i = 0; i < line.times().length; i++) {
                  values.put(line.times()[i], line.values()[i]);
                }
                rows.put(line.labels().toString(), values);
              });
      default -> throw new AssertionError(result);
    }
    return rows;
  }

  private static void assertSame(String where, double expected, double actual) {
    if (Double.isNaN(expected) || Double.isInfinite(expected)) {
      assertThat(actual).as(where).isEqualTo(Double.valueOf(expected));
    } else {
      double room = Math.max(1e-9, Math.abs(expected) * 1e-9);
      assertThat(Math.abs(actual - expected))
          .as("%s: %s, not %s", where, actual, expected)
          .isLessThan(room);
    }
  }
}
