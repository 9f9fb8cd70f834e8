package dev.varve.query.promql;

import static dev.varve.query.promql.ValueType.MATRIX;
import static dev.varve.query.promql.ValueType.SCALAR;
import static dev.varve.query.promql.ValueType.STRING;
import static dev.varve.query.promql.ValueType.VECTOR;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A function of the language, as in <a
 * href="https://prometheus.io/docs/prometheus/3.5/querying/functions/">Prometheus 3.5</a>.
 *
 * @param argumentTypes types of the arguments; the last also applies to all further arguments
 * @param variadic 0 if every argument is required; otherwise the last one may be absent, or
 *     repeated up to this number of times; -1 for no limit
 */
public record Function(
    String name, List<ValueType> argumentTypes, int variadic, ValueType returnType) {
  private static final Map<String, Function> ALL = table();

  /** Functions that Prometheus supports only with a feature flag; they are rejected. */
  private static final List<String> EXPERIMENTAL =
      List.of(
          "double_exponential_smoothing",
          "info",
          "mad_over_time",
          "sort_by_label",
          "sort_by_label_desc",
          "ts_of_last_over_time",
          "ts_of_max_over_time",
          "ts_of_min_over_time");

  public Function {
    argumentTypes = List.copyOf(argumentTypes);
  }

  int argumentsMin() {
    return variadic == 0 ? argumentTypes.size() : argumentTypes.size() - 1;
  }

  int argumentsMax() {
    return variadic < 0 ? Integer.MAX_VALUE : argumentsMin() + variadic;
  }

  /** Returns the function of a name; null if there is none. */
  static @Nullable Function of(String name) {
    return ALL.get(name);
  }

  static boolean isExperimental(String name) {
    return EXPERIMENTAL.contains(name);
  }

  /** Returns all functions, sorted by name. */
  public static List<Function> all() {
    return List.copyOf(ALL.values());
  }

  private static Map<String, Function> table() {
    List<Function> functions = new ArrayList<>();
    add(
        functions,
        List.of(VECTOR),
        "abs absent acos acosh asin asinh atan atanh ceil cos cosh deg exp floor histogram_avg"
            + " histogram_count histogram_stddev histogram_stdvar histogram_sum ln log10 log2 rad"
            + " sgn sin sinh sort sort_desc sqrt tan tanh timestamp");
    add(
        functions,
        List.of(MATRIX),
        "absent_over_time avg_over_time changes count_over_time delta deriv idelta increase irate"
            + " last_over_time max_over_time min_over_time present_over_time rate resets"
            + " stddev_over_time stdvar_over_time sum_over_time");
    add(functions, List.of(VECTOR, SCALAR), "clamp_max clamp_min");
    add(functions, List.of(VECTOR, SCALAR, SCALAR), "clamp");
    add(functions, List.of(SCALAR, SCALAR, VECTOR), "histogram_fraction");
    add(functions, List.of(SCALAR, VECTOR), "histogram_quantile");
    add(functions, List.of(VECTOR, STRING, STRING, STRING, STRING), "label_replace");
    add(functions, List.of(MATRIX, SCALAR), "predict_linear");
    add(functions, List.of(SCALAR, MATRIX), "quantile_over_time");
    add(functions, List.of(SCALAR), "vector");
    for (String name :
        List.of(
            "day_of_month",
            "day_of_week",
            "day_of_year",
            "days_in_month",
            "hour",
            "minute",
            "month",
            "year")) {
      functions.add(new Function(name, List.of(VECTOR), 1, VECTOR));
    }
    functions.add(new Function("label_join", List.of(VECTOR, STRING, STRING, STRING), -1, VECTOR));
    functions.add(new Function("pi", List.of(), 0, SCALAR));
    functions.add(new Function("round", List.of(VECTOR, SCALAR), 1, VECTOR));
    functions.add(new Function("scalar", List.of(VECTOR), 0, SCALAR));
    functions.add(new Function("time", List.of(), 0, SCALAR));
    Map<String, Function> byName = new TreeMap<>();
    functions.forEach(function -> byName.put(function.name(), function));
    return byName;
  }

  /** Adds functions that take every argument once and return an instant vector. */
  private static void add(List<Function> functions, List<ValueType> arguments, String names) {
    for (String name : names.split(" ", -1)) {
      functions.add(new Function(name, arguments, 0, VECTOR));
    }
  }
}
