package dev.varve.server.opentsdb.expression;

import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.expression.Request.Join;
import dev.varve.server.opentsdb.expression.Variables.Column;
import dev.varve.server.opentsdb.expression.Variables.Walk;
import dev.varve.server.opentsdb.query.Points;
import dev.varve.server.opentsdb.query.TagOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Computes a formula for all series of its variables that belong together. */
final class Joined {
  private final Formula formula;
  private final List<String> names;
  private final List<Variables> variables;
  private final Join join;
  private final QueryUse use;

  /**
   * Creates a computation.
   *
   * @param names the variables of the formula
   * @param variables their series, in the same order
   */
  Joined(Formula formula, List<String> names, List<Variables> variables, Join join, QueryUse use) {
    this.formula = formula;
    this.names = names;
    this.variables = variables;
    this.join = join;
    this.use = use;
  }

  /** The tags that series must share to be joined. */
  private record Key(SortedMap<String, String> tags, List<String> aggregateTags) {
    private static final Comparator<Key> ORDER =
        Comparator.comparing(Key::tags, TagOrder.TAGS)
            .thenComparing(key -> key.aggregateTags().toString());
  }

  /** Computes one series for each key. */
  List<Column> compute() {
    SortedMap<Key, @Nullable Column[]> rows = new TreeMap<>(Key.ORDER);
    for (int i = 0; i < variables.size(); i++) {
      for (Column column : variables.get(i).series()) {
        Key key = key(column, variables.get(i));
        rows.computeIfAbsent(key, none -> new Column[variables.size()])[i] = column;
      }
    }
    if (join.intersection()) {
      boolean any = !rows.isEmpty();
      rows.values().removeIf(row -> Arrays.stream(row).anyMatch(Objects::isNull));
      if (any && rows.isEmpty()) {
        throw new IllegalArgumentException("No intersections found");
      }
    }
    return compute(List.copyOf(rows.values()));
  }

  private Key key(Column column, Variables of) {
    SortedMap<String, String> tags = TagOrder.sorted(column.tags());
    if (join.useQueryTags()) {
      tags.keySet().retainAll(of.queryTags());
    }
    boolean named = join.includeAggTags() && !column.tags().isEmpty();
    return new Key(tags, named ? List.copyOf(column.aggregateTags()) : List.of());
  }

  /** Computes all rows at the times of all their series. */
  private List<Column> compute(List<@Nullable Column[]> rows) {
    List<Walk[]> walks = new ArrayList<>();
    List<Column> results = new ArrayList<>();
    for (@Nullable Column[] row : rows) {
      walks.add(walks(row));
      results.add(empty(row));
    }
    for (long time = earliest(walks); time != Long.MAX_VALUE; time = earliest(walks)) {
      use.ensureWanted();
      for (int i = 0; i < rows.size(); i++) {
        results.get(i).points().real(time, value(rows.get(i), walks.get(i), time));
      }
    }
    return results;
  }

  private Walk[] walks(@Nullable Column[] row) {
    Walk[] walks = new Walk[row.length];
    for (int i = 0; i < row.length; i++) {
      Column column = row[i];
      walks[i] = new Walk(column == null ? new Points(use.memory()) : column.points());
    }
    return walks;
  }

  /** Returns a result without points. Its tags are those of the first variable, as in OpenTSDB. */
  private Column empty(@Nullable Column[] row) {
    SortedSet<String> metrics = new TreeSet<>();
    SortedSet<String> aggregated = new TreeSet<>(TagOrder.NAMES);
    for (Column column : row) {
      if (column != null) {
        metrics.addAll(column.metrics());
        aggregated.addAll(column.aggregateTags());
      }
    }
    Column first = row[0];
    SortedMap<String, String> tags = first == null ? TagOrder.sorted(Map.of()) : first.tags();
    return new Column(metrics, tags, aggregated, new Points(use.memory()));
  }

  private static long earliest(List<Walk[]> walks) {
    return walks.stream().flatMap(Stream::of).mapToLong(Walk::next).min().orElse(Long.MAX_VALUE);
  }

  private double value(@Nullable Column[] row, Walk[] walks, long time) {
    Map<String, Double> values = new HashMap<>();
    for (int i = 0; i < row.length; i++) {
      double fill = variables.get(i).fill();
      // A variable without such a series is zero, whatever its fill, as in OpenTSDB.
      double value = row[i] == null ? 0 : walks[i].take(time, fill);
      values.put(names.get(i), Double.isNaN(value) ? fill : value);
    }
    return switch (formula.compute(values)) {
      case Formula.Real real -> real.number();
      case Formula.Truth truth -> truth.number();
      case Formula.Whole whole ->
          throw new IllegalArgumentException(
              "Expression returned a result of type: java.lang.Integer for a formula whose result is the whole number %d; write it with a decimal point"
                  .formatted(whole.value()));
    };
  }
}
