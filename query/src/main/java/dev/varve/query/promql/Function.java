package dev.varve.query.promql;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A function of the language, as in <a
 * href="https://prometheus.io/docs/prometheus/3.5/querying/functions/">Prometheus 3.5</a>.
 */
public enum Function {
  ABS(ValueType.VECTOR),
  ABSENT(ValueType.VECTOR),
  ABSENT_OVER_TIME(ValueType.MATRIX),
  ACOS(ValueType.VECTOR),
  ACOSH(ValueType.VECTOR),
  ASIN(ValueType.VECTOR),
  ASINH(ValueType.VECTOR),
  ATAN(ValueType.VECTOR),
  ATANH(ValueType.VECTOR),
  AVG_OVER_TIME(ValueType.MATRIX),
  CEIL(ValueType.VECTOR),
  CHANGES(ValueType.MATRIX),
  CLAMP(ValueType.VECTOR, ValueType.SCALAR, ValueType.SCALAR),
  CLAMP_MAX(ValueType.VECTOR, ValueType.SCALAR),
  CLAMP_MIN(ValueType.VECTOR, ValueType.SCALAR),
  COS(ValueType.VECTOR),
  COSH(ValueType.VECTOR),
  COUNT_OVER_TIME(ValueType.MATRIX),
  DAY_OF_MONTH(1, ValueType.VECTOR, ValueType.VECTOR),
  DAY_OF_WEEK(1, ValueType.VECTOR, ValueType.VECTOR),
  DAY_OF_YEAR(1, ValueType.VECTOR, ValueType.VECTOR),
  DAYS_IN_MONTH(1, ValueType.VECTOR, ValueType.VECTOR),
  DEG(ValueType.VECTOR),
  DELTA(ValueType.MATRIX),
  DERIV(ValueType.MATRIX),
  EXP(ValueType.VECTOR),
  FLOOR(ValueType.VECTOR),
  HISTOGRAM_AVG(ValueType.VECTOR),
  HISTOGRAM_COUNT(ValueType.VECTOR),
  HISTOGRAM_FRACTION(ValueType.SCALAR, ValueType.SCALAR, ValueType.VECTOR),
  HISTOGRAM_QUANTILE(ValueType.SCALAR, ValueType.VECTOR),
  HISTOGRAM_STDDEV(ValueType.VECTOR),
  HISTOGRAM_STDVAR(ValueType.VECTOR),
  HISTOGRAM_SUM(ValueType.VECTOR),
  HOUR(1, ValueType.VECTOR, ValueType.VECTOR),
  IDELTA(ValueType.MATRIX),
  INCREASE(ValueType.MATRIX),
  IRATE(ValueType.MATRIX),
  LABEL_JOIN(
      -1, ValueType.VECTOR, ValueType.VECTOR, ValueType.STRING, ValueType.STRING, ValueType.STRING),
  LABEL_REPLACE(
      ValueType.VECTOR, ValueType.STRING, ValueType.STRING, ValueType.STRING, ValueType.STRING),
  LAST_OVER_TIME(ValueType.MATRIX),
  LN(ValueType.VECTOR),
  LOG10(ValueType.VECTOR),
  LOG2(ValueType.VECTOR),
  MAX_OVER_TIME(ValueType.MATRIX),
  MIN_OVER_TIME(ValueType.MATRIX),
  MINUTE(1, ValueType.VECTOR, ValueType.VECTOR),
  MONTH(1, ValueType.VECTOR, ValueType.VECTOR),
  PI(0, ValueType.SCALAR),
  PREDICT_LINEAR(ValueType.MATRIX, ValueType.SCALAR),
  PRESENT_OVER_TIME(ValueType.MATRIX),
  QUANTILE_OVER_TIME(ValueType.SCALAR, ValueType.MATRIX),
  RAD(ValueType.VECTOR),
  RATE(ValueType.MATRIX),
  RESETS(ValueType.MATRIX),
  ROUND(1, ValueType.VECTOR, ValueType.VECTOR, ValueType.SCALAR),
  SCALAR(0, ValueType.SCALAR, ValueType.VECTOR),
  SGN(ValueType.VECTOR),
  SIN(ValueType.VECTOR),
  SINH(ValueType.VECTOR),
  SORT(ValueType.VECTOR),
  SORT_DESC(ValueType.VECTOR),
  SQRT(ValueType.VECTOR),
  STDDEV_OVER_TIME(ValueType.MATRIX),
  STDVAR_OVER_TIME(ValueType.MATRIX),
  SUM_OVER_TIME(ValueType.MATRIX),
  TAN(ValueType.VECTOR),
  TANH(ValueType.VECTOR),
  TIME(0, ValueType.SCALAR),
  TIMESTAMP(ValueType.VECTOR),
  VECTOR(ValueType.SCALAR),
  YEAR(1, ValueType.VECTOR, ValueType.VECTOR);

  private static final Map<String, Function> BY_TEXT =
      Stream.of(values()).collect(Collectors.toMap(Function::text, function -> function));

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

  private final String text;

  @SuppressWarnings("ImmutableEnumChecker") // Lists of List.of never change.
  private final List<ValueType> argumentTypes;

  private final int variadic;
  private final ValueType returnType;

  /** Creates a function that takes every argument once and returns an instant vector. */
  Function(ValueType... arguments) {
    this(0, ValueType.VECTOR, arguments);
  }

  /**
   * Creates a function.
   *
   * @param variadic 0 if every argument is required; otherwise the last one may be absent, or
   *     repeated up to this number of times; -1 for no limit
   */
  Function(int variadic, ValueType returnType, ValueType... arguments) {
    this.text = name().toLowerCase(Locale.ROOT);
    this.argumentTypes = List.of(arguments);
    this.variadic = variadic;
    this.returnType = returnType;
  }

  /** Returns the name in the language. */
  public String text() {
    return text;
  }

  /** Returns the types of the arguments; the last also applies to all further arguments. */
  public List<ValueType> argumentTypes() {
    return argumentTypes;
  }

  /**
   * Returns 0 if every argument is required; otherwise the last one may be absent, or repeated up
   * to this number of times; -1 for no limit.
   */
  public int variadic() {
    return variadic;
  }

  public ValueType returnType() {
    return returnType;
  }

  int argumentsMin() {
    return variadic == 0 ? argumentTypes.size() : argumentTypes.size() - 1;
  }

  int argumentsMax() {
    return variadic < 0 ? Integer.MAX_VALUE : argumentsMin() + variadic;
  }

  /** Returns the function of a name; null if there is none. */
  static @Nullable Function of(String text) {
    return BY_TEXT.get(text);
  }

  static boolean isExperimental(String text) {
    return EXPERIMENTAL.contains(text);
  }

  /** Returns all functions, sorted by name. */
  public static List<Function> all() {
    return List.of(values());
  }
}
