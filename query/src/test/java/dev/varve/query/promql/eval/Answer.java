package dev.varve.query.promql.eval;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Result of a query, from Varve or another server.
 *
 * @param type as in Prometheus' API; {@code error} if the query failed
 * @param rows by their labels, in order of arrival
 * @param text the string, or the error
 * @param notes warnings and infos
 */
record Answer(String type, Map<Map<String, String>, Row> rows, String text, TreeSet<String> notes) {
  private static final double TOLERANCE = 1e-9;
  private static final BigDecimal LEAST = new BigDecimal("1e-300");
  private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?(e[-+]?\\d+)?");

  private static final Pattern OMISSION =
      Pattern.compile("\\d+ more (warning|info) annotations omitted");

  /** The values of a series at times in ms since 1970. */
  record Row(long[] times, double[] values) {
    private Row plus(Row other) {
      TreeMap<Long, Double> sums = new TreeMap<>();
      forEach((time, value) -> sums.merge(time, value, Double::sum));
      other.forEach((time, value) -> sums.merge(time, value, Double::sum));
      return new Row(
          sums.keySet().stream().mapToLong(time -> time).toArray(),
          sums.values().stream().mapToDouble(value -> value).toArray());
    }

    private void forEach(BiConsumer<Long, Double> each) {
      for (int i = 0; i < times.length; i++) {
        each.accept(times[i], values[i]);
      }
    }
  }

  /** A series and time at which there may be a value. */
  private record Place(Map<String, String> labels, long time) {}

  static Answer error(String message) {
    return new Answer("error", Map.of(), message, new TreeSet<>());
  }

  /** Converts a result of Varve. */
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

  /**
   * Rounds numbers in labels and notes to some digits. Adds up the values of rows that then have
   * the same labels.
   */
  Answer rounded(int digits) {
    Map<Map<String, String>, Row> others = new LinkedHashMap<>();
    rows.forEach((labels, row) -> {
      Map<String, String> shorter = new TreeMap<>(labels);
      shorter.replaceAll((name, value) -> rounded(value, digits));
      others.merge(shorter, row, Row::plus);
    });
    return new Answer(type, others, text, notes(note -> rounded(note, digits)));
  }

  private static String rounded(String text, int digits) {
    return NUMBER
        .matcher(text)
        .replaceAll(match -> {
          BigDecimal number = new BigDecimal(match.group());
          return number.abs().compareTo(LEAST) < 0
              ? "0"
              : number.round(new MathContext(digits)).stripTrailingZeros().toPlainString();
        });
  }

  /** Removes the positions from notes. */
  Answer withoutPlaces() {
    return withNotes(notes(NotePlaces::text));
  }

  /** Removes the metrics from infos about fixed buckets. */
  Answer withoutNamesOfMended() {
    return withNotes(
        notes(note ->
            note.contains("needed to be fixed for monotonicity")
                ? note.replaceAll("for metric name \".*\"", "for metric name \"\"")
                : note));
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
   * Describes the difference from the answer of another server; null if there is none.
   *
   * @param ordered whether the order of values matters; rows of equal values may be in any order
   */
  @Nullable String difference(Answer other, boolean ordered) {
    if (!type.equals(other.type)) {
      return "%s, not %s".formatted(shown(), other.shown());
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

  /**
   * Returns whether the answer is within what the other answers allow together. An error must be
   * one of theirs. Otherwise, each value must lie between the least and the greatest value at its
   * place or equal one of them, and there must be no value where none of them has one. A note must
   * be present if all of them have it, and absent if none has it, regardless of positions.
   */
  boolean liesAmong(List<Answer> others) {
    return isMadeOf(others, Answer::isBetween);
  }

  /** Like {@link #liesAmong}, but each value must equal one of theirs. */
  boolean isMadeOf(List<Answer> others) {
    return isMadeOf(others, Answer::isOneOf);
  }

  private boolean isMadeOf(
      List<Answer> others, BiPredicate<@Nullable Double, List<@Nullable Double>> isOpen) {
    List<Answer> alike = others.stream().filter(one -> one.type.equals(type)).toList();
    if (alike.stream().noneMatch(one -> one.text.equals(text))) {
      return false;
    }
    List<Map<Place, Double>> theirs = alike.stream().map(Answer::byPlace).toList();
    Map<Place, Double> mine = byPlace();
    Set<Place> places = new HashSet<>(mine.keySet());
    theirs.forEach(one -> places.addAll(one.keySet()));
    return places.stream()
            .allMatch(place -> {
              List<@Nullable Double> open = new ArrayList<>();
              theirs.forEach(one -> open.add(one.get(place)));
              return isOpen.test(mine.get(place), open);
            })
        && tellsAmong(alike);
  }

  private static boolean isOneOf(@Nullable Double value, List<@Nullable Double> open) {
    return open.stream()
        .anyMatch(one ->
            (value == null && one == null) || (value != null && one != null && same(value, one)));
  }

  private static boolean isBetween(@Nullable Double value, List<@Nullable Double> open) {
    if (isOneOf(value, open)) {
      return true;
    }
    double[] numbers =
        open.stream()
            .filter(one -> one != null && !one.isNaN())
            .mapToDouble(one -> Objects.requireNonNull(one))
            .toArray();
    return value != null
        && Arrays.stream(numbers).anyMatch(one -> one <= value)
        && Arrays.stream(numbers).anyMatch(one -> one >= value);
  }

  /**
   * Returns whether it has all notes common to the others and no note that none has, regardless of
   * positions.
   */
  boolean tellsAmong(List<Answer> others) {
    Set<String> some = new HashSet<>();
    others.forEach(one -> some.addAll(one.withoutPlaces().notes));
    Set<String> certain = new HashSet<>(some);
    others.forEach(one -> certain.retainAll(one.withoutPlaces().notes));
    Set<String> told = new HashSet<>(withoutPlaces().notes);
    boolean all = !told.removeIf(Answer::isOmission);
    return some.containsAll(told) && (!all || told.containsAll(certain));
  }

  /** Returns whether it has all notes of another, regardless of positions. */
  boolean tellsAll(Answer other) {
    Set<String> told = withoutPlaces().notes;
    return told.stream().anyMatch(Answer::isOmission)
        || told.containsAll(other.withoutPlaces().notes);
  }

  /** Returns the notes, without positions, that only one of both has. */
  Set<String> notesOfDifference(Answer other) {
    Set<String> mine = withoutPlaces().notes;
    Set<String> theirs = other.withoutPlaces().notes;
    Set<String> either = new HashSet<>(mine);
    either.addAll(theirs);
    either.removeIf(note -> mine.contains(note) && theirs.contains(note));
    return either;
  }

  /** Returns whether a note only states how many more notes there are. */
  static boolean isOmission(String note) {
    return OMISSION.matcher(note).matches();
  }

  /** Returns whether the values are sorted from row to row; NaN comes last. */
  boolean isSorted(boolean descending) {
    double[] values = values().values();
    for (int i = 1; i < values.length; i++) {
      double before = descending ? values[i] : values[i - 1];
      double after = descending ? values[i - 1] : values[i];
      boolean isLast = Double.isNaN(values[i]);
      if (!isLast && !(before <= after)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether another answer selects, at each time, values as large from the same set.
   *
   * @param all the set from which both select
   */
  boolean isAsGoodAChoice(Answer other, Answer all) {
    Map<Place, Double> of = all.byPlace();
    boolean isAmongThem =
        other.byPlace().entrySet().stream()
            .allMatch(chosen -> {
              Double there = of.get(chosen.getKey());
              return there != null && same(there, chosen.getValue());
            });
    Map<Long, List<Double>> mine = valuesByTime();
    Map<Long, List<Double>> theirs = other.valuesByTime();
    return isAmongThem
        && mine.keySet().equals(theirs.keySet())
        && mine.entrySet().stream()
            .allMatch(
                entry -> same(entry.getValue(), theirs.getOrDefault(entry.getKey(), List.of())))
        && withoutPlaces().notes.equals(other.withoutPlaces().notes);
  }

  private static boolean same(List<Double> some, List<Double> others) {
    boolean same = some.size() == others.size();
    for (int i = 0; same && i < some.size(); i++) {
      same = same(some.get(i), others.get(i));
    }
    return same;
  }

  private Map<Long, List<Double>> valuesByTime() {
    Map<Long, List<Double>> values = new HashMap<>();
    byPlace()
        .forEach((place, value) ->
            values.computeIfAbsent(place.time(), time -> new ArrayList<>()).add(value));
    values.values().forEach(list -> list.sort(null));
    return values;
  }

  private Map<Place, Double> byPlace() {
    Map<Place, Double> values = new HashMap<>();
    rows.forEach(
        (labels, row) -> row.forEach((time, value) -> values.put(new Place(labels, time), value)));
    return values;
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
        || (Double.isFinite(one)
            && Double.isFinite(other)
            && Math.abs(one - other) <= TOLERANCE * Math.max(Math.abs(one), Math.abs(other)));
  }

  private String shown() {
    return isError() ? "error (" + text + ")" : type + " of " + rows.size();
  }

  /** Returns the first rows, for messages. */
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
