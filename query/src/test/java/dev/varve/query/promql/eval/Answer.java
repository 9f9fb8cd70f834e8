package dev.varve.query.promql.eval;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a query gave, wherever it ran.
 *
 * @param type as Prometheus' API names it; {@code error} if it failed
 * @param rows by their labels, in the order in which they came
 * @param text the string, or what was wrong
 * @param notes warnings and infos
 */
record Answer(String type, Map<Map<String, String>, Row> rows, String text, TreeSet<String> notes) {
  private static final double TOLERANCE = 1e-9;
  private static final double LEAST_LOG10 = -307.65;
  private static final BigDecimal LEAST = new BigDecimal("1e-300");
  private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?(e[-+]?\\d+)?");

  /** The values of a series at times in ms since 1970. */
  record Row(long[] times, double[] values) {}

  static Answer error(String message) {
    return new Answer("error", Map.of(), message, new TreeSet<>());
  }

  /** Of Varve. */
  static Answer of(PromResult result, Notes told) {
    Map<Map<String, String>, Row> rows = new LinkedHashMap<>();
    String type;
    String text = "";
    switch (result) {
      case PromResult.Scalar scalar -> {
        type = "scalar";
        rows.put(Map.of(), row(scalar.time(), scalar.value()));
      }
      case PromResult.Text given -> {
        type = "string";
        text = given.text();
      }
      case PromResult.Vector vector -> {
        type = "vector";
        vector
            .elements()
            .forEach(element -> add(rows, element.labels(), row(vector.time(), element.value())));
      }
      case PromResult.Matrix matrix -> {
        type = "matrix";
        matrix
            .lines()
            .forEach(line -> add(rows, line.labels(), new Row(line.times(), line.values())));
      }
    }
    TreeSet<String> notes = new TreeSet<>(told.warnings());
    notes.addAll(told.infos());
    return new Answer(type, rows, text, notes);
  }

  private static Row row(long time, double value) {
    return new Row(new long[] {time}, new double[] {value});
  }

  private static void add(Map<Map<String, String>, Row> rows, Labels labels, Row row) {
    Map<String, String> map = new TreeMap<>();
    labels.forEach(map::put);
    if (rows.put(map, row) != null) {
      throw new AssertionError("two rows of the same labels: " + labels);
    }
  }

  Answer withNotes(TreeSet<String> others) {
    return new Answer(type, rows, text, others);
  }

  /** The same with numbers in labels and notes of so many digits. */
  Answer rounded(int digits) {
    Map<Map<String, String>, Row> others = new LinkedHashMap<>();
    rows.forEach((labels, row) -> {
      Map<String, String> shorter = new TreeMap<>(labels);
      shorter.replaceAll((name, value) -> rounded(value, digits));
      others.put(shorter, row);
    });
    return new Answer(type, others, text, notes(note -> rounded(note, digits)));
  }

  private static String rounded(String text, int digits) {
    return NUMBER
        .matcher(text)
        .replaceAll(match -> {
          BigDecimal number = new BigDecimal(match.group());
          boolean least = number.abs().compareTo(LEAST) < 0;
          return least ? "0" : number.round(new MathContext(digits)).toPlainString();
        });
  }

  /** The same with values of six digits. */
  Answer ofSixDigits() {
    return withValues(value ->
        Double.isFinite(value)
            ? new BigDecimal(value).round(new MathContext(6)).doubleValue()
            : value);
  }

  /** The same as far as there are values, whatever they are. */
  Answer withoutValues() {
    return withValues(value -> 0);
  }

  /** The same without the places in notes. */
  Answer withoutPlaces() {
    return withNotes(notes(note -> note.replaceAll(" \\(\\d+:\\d+\\)$", "")));
  }

  /** The same with NaN for infinities. */
  Answer withoutOverflown() {
    return withValues(value -> Double.isInfinite(value) ? Double.NaN : value);
  }

  /** The same with an infinity for what logarithms give of numbers below 2^-1022. */
  Answer withoutLeast() {
    return withValues(value -> value < LEAST_LOG10 ? Double.NEGATIVE_INFINITY : value);
  }

  private Answer withValues(DoubleUnaryOperator change) {
    Map<Map<String, String>, Row> others = new LinkedHashMap<>();
    rows.forEach((labels, row) ->
        others.put(
            labels, new Row(row.times(), Arrays.stream(row.values()).map(change).toArray())));
    return new Answer(type, others, text, notes);
  }

  private TreeSet<String> notes(UnaryOperator<String> change) {
    TreeSet<String> changed = new TreeSet<>();
    notes.forEach(note -> changed.add(change.apply(note)));
    return changed;
  }

  boolean isError() {
    return type.equals("error");
  }

  boolean isEmpty() {
    return isError() || (rows.isEmpty() && !type.equals("string"));
  }

  /**
   * Where it differs from what another server gave; null if nowhere.
   *
   * @param ordered whether values have to come in the same order; rows of equal values may not
   */
  @Nullable String difference(Answer other, boolean ordered) {
    if (!type.equals(other.type)) {
      return "%s, not %s".formatted(shown(), other.shown());
    }
    if (isError()) {
      return null;
    }
    if (!text.equals(other.text)) {
      return "'%s', not '%s'".formatted(text, other.text);
    }
    if (!rows.keySet().equals(other.rows.keySet())) {
      TreeSet<String> more = new TreeSet<>(rows.keySet().stream().map(Map::toString).toList());
      TreeSet<String> less =
          new TreeSet<>(other.rows.keySet().stream().map(Map::toString).toList());
      TreeSet<String> common = new TreeSet<>(more);
      common.retainAll(less);
      more.removeAll(common);
      less.removeAll(common);
      return "series too many %s, missing %s, right %d".formatted(more, less, common.size());
    }
    for (Map.Entry<Map<String, String>, Row> entry : rows.entrySet()) {
      String wrong = difference(entry.getValue(), other.rows.get(entry.getKey()));
      if (wrong != null) {
        return entry.getKey() + ": " + wrong;
      }
    }
    if (ordered) {
      String wrong = difference(values(), other.values());
      if (wrong != null) {
        return "order: " + wrong;
      }
    }
    return notes.equals(other.notes) ? null : "notes %s, not %s".formatted(notes, other.notes);
  }

  private Row values() {
    double[] values = rows.values().stream().mapToDouble(row -> row.values()[0]).toArray();
    return new Row(new long[values.length], values);
  }

  private static @Nullable String difference(Row row, @Nullable Row other) {
    if (other == null || !Arrays.equals(row.times(), other.times())) {
      return "times %s, not %s"
          .formatted(
              Arrays.toString(row.times()), other == null ? null : Arrays.toString(other.times()));
    }
    for (int i = 0; i < row.times().length; i++) {
      if (!same(row.values()[i], other.values()[i])) {
        return "at %d %s, not %s".formatted(row.times()[i], row.values()[i], other.values()[i]);
      }
    }
    return null;
  }

  static boolean same(double one, double other) {
    return Double.compare(one, other) == 0
        || one == other
        || Math.abs(one - other) <= TOLERANCE * Math.max(Math.abs(one), Math.abs(other));
  }

  private String shown() {
    return isError() ? "error (" + text + ")" : type + " of " + rows.size();
  }

  /** A few of its rows, for messages. */
  List<String> head() {
    List<String> head = new ArrayList<>();
    rows.forEach((labels, row) -> {
      if (head.size() < 4) {
        int shown = Math.min(4, row.values().length);
        head.add(labels + " " + Arrays.toString(Arrays.copyOf(row.values(), shown)));
      }
    });
    return head;
  }
}
