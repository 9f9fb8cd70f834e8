package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.query.promql.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A script in the language in which Prometheus 3.5 tests its queries (promql/promqltest/README.md
 * there): it loads samples, evaluates expressions and compares the results.
 *
 * <pre>
 * clear                                    removes all samples
 * load 30s                                 series with samples every 30 s from time 0 on:
 *   a{b="c"} 1 2 _ 3+1x4 stale             values; none; 3 4 5 6 7; a staleness marker
 * eval instant at 5m EXPRESSION            or: eval range from 0 to 5m step 1m EXPRESSION
 *   expect fail|warn|info [msg: TEXT | regex: PATTERN], expect ordered|no_warn|no_info
 *   a{b="c"} 1 _ 2                         expected values, one per step
 *   42                                     a scalar
 * </pre>
 *
 * <p>Warnings and infos must be expected explicitly. As in Prometheus, the expected result at an
 * instant is also checked in the middle of a range of three steps, and at five other times for the
 * expression pinned to that instant by {@code @}. Native histograms are not supported.
 */
final class PromScript {
  private static final Pattern LOAD = Pattern.compile("load\\s+(\\S+)");
  private static final Pattern EVAL =
      Pattern.compile(
          "eval(?:_(fail|warn|info|ordered))?\\s+(?:instant(?:\\s+at\\s+(\\S+))?"
              + "|range\\s+from\\s+(\\S+)\\s+to\\s+(\\S+)\\s+step\\s+(\\S+))\\s+(.+)");
  private static final Pattern EXPECT =
      Pattern.compile(
          "(?:expect\\s+(ordered|fail|warn|no_warn|info|no_info)(?:\\s+(regex|msg):(.+))?"
              + "|expected_fail_(message|regexp)\\s+(.+))");

  private static final Duration ASIDE = Duration.ofMinutes(1);

  /** Receives samples, at times in ms since 1970. */
  interface Samples {
    void add(Series series, long time, double value);
  }

  /** Stores samples and creates queries on them. */
  interface Subject extends Samples {
    void clear();

    PromQuery query(String expression);

    /** Returns the time in ms since 1970 that is time 0 of the script. */
    default long origin() {
      return 0;
    }

    /** Returns whether expected results at an instant are also checked at other times. */
    default boolean asksAtOtherTimes() {
      return true;
    }

    /** Returns whether expected results at an instant are also checked in the middle of a range. */
    default boolean asksInRanges() {
      return true;
    }
  }

  private final Subject subject;
  private final List<String> lines;
  private int at;

  PromScript(String text, Subject subject) {
    this.subject = subject;
    this.lines = lines(text);
  }

  private static List<String> lines(String text) {
    return text.lines().map(String::strip).map(line -> line.startsWith("#") ? "" : line).toList();
  }

  /** Loads all samples of a script, before and after each {@code clear}. */
  static void load(String text, long origin, Samples into) {
    List<String> lines = lines(text);
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith("load")) {
        load(i, lines.get(i), block(lines, i), origin, into);
      }
    }
  }

  /** Runs the script, and returns the number of expressions evaluated. */
  int run() {
    int evaluations = 0;
    for (; at < lines.size(); at++) {
      String line = lines.get(at);
      if (line.equals("clear")) {
        subject.clear();
      } else if (line.startsWith("load")) {
        List<String> block = block(lines, at);
        load(at, line, block, subject.origin(), subject);
        at += block.size();
      } else if (line.startsWith("eval")) {
        List<String> block = block(lines, at);
        evaluate(line, block);
        at += block.size();
        evaluations++;
      } else {
        assertThat(line).as("line %d is no command", at + 1).isEmpty();
      }
    }
    return evaluations;
  }

  /** Returns the lines after a line, up to the next empty one. */
  private static List<String> block(List<String> lines, int at) {
    return lines.subList(at + 1, lines.size()).stream().takeWhile(line -> !line.isEmpty()).toList();
  }

  private static void load(int at, String line, List<String> block, long origin, Samples into) {
    Matcher load = LOAD.matcher(line);
    assertThat(load.matches()).as("line %d: %s", at + 1, line).isTrue();
    Duration gap = Durations.parse(load.group(1));
    for (String text : block) {
      SeriesLine series = SeriesLine.parse(text);
      GroupKey key = new GroupKey(series.metric(), Tags.of(series.tags()), Tags.EMPTY);
      for (int i = 0; i < series.values().size(); i++) {
        Double value = series.values().get(i);
        if (value != null) {
          into.add(key.field(Series.DEFAULT_FIELD), origin + i * gap.toMillis(), value);
        }
      }
    }
  }

  private void evaluate(String line, List<String> block) {
    Matcher eval = EVAL.matcher(line);
    String where = "line %d: %s".formatted(at + 1, line);
    assertThat(eval.matches()).as(where).isTrue();
    Expected expected = Expected.of(eval.group(1), block);
    String expression = eval.group(6);
    if (eval.group(3) != null) {
      long start = time(eval.group(3));
      Duration step = Durations.parse(eval.group(5));
      PromQuery query = subject.query(expression);
      expected.check(
          where, start, step, query, () -> query.range(start, time(eval.group(4)), step));
      return;
    }
    long time = time(eval.group(2) == null ? "0" : eval.group(2));
    instant(where, expression, time, expected);
    String pinned = subject.asksAtOtherTimes() ? Pinned.at(expression, time) : null;
    if (pinned != null) {
      long since = time - subject.origin();
      for (long other : new long[] {-10 * since, -1000, since / 5, since + 1000, 10 * since}) {
        instant(where + ", as " + pinned, pinned, subject.origin() + other, expected);
      }
    }
  }

  private void instant(String where, String expression, long time, Expected expected) {
    PromQuery query = subject.query(expression);
    PromResult result =
        expected.check(where, time, Duration.ofMillis(1), query, () -> query.instant(time));
    if (result == null
        || expected.ordered
        || result instanceof PromResult.Text
        || !subject.asksInRanges()) {
      return;
    }
    PromResult range =
        subject.query(expression).range(time - ASIDE.toMillis(), time + ASIDE.toMillis(), ASIDE);
    boolean scalar = result instanceof PromResult.Scalar;
    expected.compare(
        where + ", in a range", time, Duration.ofMillis(1), middle(range, time, scalar));
  }

  private static PromResult middle(PromResult range, long time, boolean scalar) {
    List<PromResult.Element> elements = new ArrayList<>();
    for (PromResult.Line line : ((PromResult.Matrix) range).lines()) {
      for (int i = 0; i < line.times().length; i++) {
        if (line.times()[i] == time) {
          elements.add(new PromResult.Element(line.labels(), line.values()[i]));
        }
      }
    }
    return scalar
        ? new PromResult.Scalar(time, elements.getFirst().value())
        : new PromResult.Vector(time, elements);
  }

  private long time(String text) {
    return subject.origin() + (text.equals("0") ? 0 : Durations.parse(text).toMillis());
  }

  private interface Evaluation {
    PromResult run();
  }

  /** An expected message: a whole text, or a pattern of a part; any message if neither is given. */
  private record Message(String kind, @Nullable String text, @Nullable Pattern pattern) {
    boolean fits(@Nullable String message) {
      return text != null
          ? text.equals(message)
          : pattern == null || pattern.matcher(String.valueOf(message)).find();
    }
  }

  /** The expected result of an expression. */
  private static final class Expected {
    private final List<Message> messages = new ArrayList<>();
    private final Map<String, List<@Nullable Double>> rows = new LinkedHashMap<>();
    private @Nullable String text;
    private @Nullable Double scalar;
    private boolean ordered;
    private boolean failing;

    /**
     * Parses the lines after {@code eval}.
     *
     * @param mode the older form of an expectation, as in {@code eval_fail}; null if there is none
     */
    static Expected of(@Nullable String mode, List<String> block) {
      Expected expected = new Expected();
      expected.ordered = "ordered".equals(mode);
      expected.failing = "fail".equals(mode);
      if (mode != null && List.of("warn", "info").contains(mode)) {
        expected.messages.add(new Message(mode, null, null));
      }
      for (String line : block) {
        Matcher expect = EXPECT.matcher(line);
        if (expect.matches()) {
          expected.expect(expect);
        } else if (line.startsWith("\"")) {
          expected.text = line;
        } else if (line.matches("[-+]?([0-9.].*|NaN|[Ii]nf)")) {
          expected.scalar = SeriesLine.number(line);
        } else {
          SeriesLine series = SeriesLine.parse(line);
          expected.rows.put(Labels.of(series.labels()).toString(), series.values());
        }
      }
      return expected;
    }

    private void expect(Matcher expect) {
      boolean old = expect.group(4) != null;
      String kind = old ? "fail" : expect.group(1);
      String how = old ? expect.group(4) : expect.group(2);
      String what = old ? expect.group(5) : expect.group(3);
      ordered |= kind.equals("ordered");
      failing |= kind.equals("fail");
      boolean whole = "msg".equals(how) || "message".equals(how);
      messages.add(
          new Message(
              kind,
              what != null && whole ? what.strip() : null,
              what != null && !whole ? Pattern.compile(what.strip()) : null));
    }

    /** Runs and compares; returns null if the query failed as expected. */
    @Nullable PromResult check(
        String where, long start, Duration step, PromQuery query, Evaluation evaluation) {
      if (failing) {
        Throwable thrown = catchThrowable(evaluation::run);
        assertThat(thrown).as(where).isNotNull();
        fits(where, "fail", List.of(String.valueOf(thrown.getMessage())));
        return null;
      }
      PromResult result = evaluation.run();
      compare(where, start, step, result);
      fits(where, "warn", withoutPlace(query.notes().warnings()));
      fits(where, "info", withoutPlace(query.notes().infos()));
      return result;
    }

    /** Scripts do not state the position of the cause in the query. */
    private static List<String> withoutPlace(List<String> notes) {
      return notes.stream().map(note -> note.replaceFirst(" \\(\\d+:\\d+\\)$", "")).toList();
    }

    /** Checks that exactly the expected messages are present. */
    private void fits(String where, String kind, List<String> said) {
      List<Message> wanted = messages.stream().filter(m -> m.kind().equals(kind)).toList();
      for (Message message : wanted) {
        assertThat(said).as("%s: %s", where, message).anyMatch(message::fits);
      }
      for (String one : said) {
        assertThat((wanted.isEmpty() && failing) || wanted.stream().anyMatch(m -> m.fits(one)))
            .as("%s: says %s %s", where, kind, one)
            .isTrue();
      }
    }

    void compare(String where, long start, Duration step, PromResult result) {
      if (result instanceof PromResult.Scalar got) {
        assertThat(scalar).as("%s: gave the scalar %s", where, got.value()).isNotNull();
        assertSame(where, Objects.requireNonNull(scalar), got.value());
        return;
      }
      if (result instanceof PromResult.Text got) {
        assertThat(text).as(where).isEqualTo('"' + got.text() + '"');
        return;
      }
      assertThat(scalar).as("%s: gave no scalar but %s", where, result).isNull();
      Map<String, Map<Long, Double>> actual = rowsOf(result);
      assertThat(actual.keySet()).as(where).isEqualTo(rows.keySet());
      if (ordered) {
        assertThat(List.copyOf(actual.keySet())).as(where).isEqualTo(List.copyOf(rows.keySet()));
      }
      for (Map.Entry<String, List<@Nullable Double>> row : rows.entrySet()) {
        String place = where + ": " + row.getKey();
        compare(place, start, step, row.getValue(), actual.get(row.getKey()));
      }
    }

    private static void compare(
        String where,
        long start,
        Duration step,
        List<@Nullable Double> expected,
        @Nullable Map<Long, Double> actual) {
      Map<Long, Double> left = new TreeMap<>(actual);
      for (int i = 0; i < expected.size(); i++) {
        String place = "%s, value %d".formatted(where, i);
        Double value = left.remove(start + i * step.toMillis());
        Double wanted = expected.get(i);
        if (wanted == null) {
          assertThat(value).as(place).isNull();
        } else {
          assertThat(value).as(place).isNotNull();
          assertSame(place, wanted, value);
        }
      }
      assertThat(left).as("%s has more", where).isEmpty();
    }
  }

  private static Map<String, Map<Long, Double>> rowsOf(PromResult result) {
    Map<String, Map<Long, Double>> rows = new LinkedHashMap<>();
    switch (result) {
      case PromResult.Vector vector -> {
        for (PromResult.Element element : vector.elements()) {
          Map<Long, Double> before =
              rows.put(element.labels().toString(), Map.of(vector.time(), element.value()));
          assertThat(before).as("two of %s", element.labels()).isNull();
        }
      }
      case PromResult.Matrix matrix -> {
        for (PromResult.Line line : matrix.lines()) {
          Map<Long, Double> values = new TreeMap<>();
          for (int i = 0; i < line.times().length; i++) {
            values.put(line.times()[i], line.values()[i]);
          }
          assertThat(rows.put(line.labels().toString(), values))
              .as("two of %s", line.labels())
              .isNull();
        }
      }
      default -> throw new AssertionError(result);
    }
    return rows;
  }

  /** Uses the tolerance of Prometheus. */
  private static void assertSame(String where, double expected, double actual) {
    if (Double.isNaN(expected) || Double.isInfinite(expected)) {
      assertThat(actual).as(where).isEqualTo(Double.valueOf(expected));
    } else {
      assertThat(Math.abs(actual - expected))
          .as("%s: %s, not %s", where, actual, expected)
          .isLessThanOrEqualTo(1e-6 * Math.max(1e-6, Math.abs(expected)));
    }
  }
}
