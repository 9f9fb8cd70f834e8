package dev.varve.query.promql.eval;

import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleUnaryOperator;
import java.util.function.ToDoubleFunction;

/** Functions of a single value. */
final class ValueFunctions {
  private static final double LN_2 = 0.6931471805599453;
  private static final double LN_10 = 2.302585092994046;

  /** Functions by name: of numbers, and of times in seconds since 1970 in UTC. */
  static final Map<String, DoubleUnaryOperator> ALL =
      Map.ofEntries(
          Map.entry("abs", Math::abs),
          Map.entry("acos", StrictMath::acos),
          Map.entry("acosh", ValueFunctions::acosh),
          Map.entry("asin", StrictMath::asin),
          Map.entry("asinh", ValueFunctions::asinh),
          Map.entry("atan", StrictMath::atan),
          Map.entry("atanh", ValueFunctions::atanh),
          Map.entry("ceil", Math::ceil),
          Map.entry("cos", StrictMath::cos),
          Map.entry("cosh", StrictMath::cosh),
          Map.entry("deg", value -> value * 180 / Math.PI),
          Map.entry("exp", StrictMath::exp),
          Map.entry("floor", Math::floor),
          Map.entry("ln", StrictMath::log),
          Map.entry("log10", value -> log2(value) * (LN_2 / LN_10)),
          Map.entry("log2", ValueFunctions::log2),
          Map.entry("rad", value -> value * Math.PI / 180),
          Map.entry("sgn", Math::signum),
          Map.entry("sin", StrictMath::sin),
          Map.entry("sinh", StrictMath::sinh),
          Map.entry("sqrt", Math::sqrt),
          Map.entry("tan", StrictMath::tan),
          Map.entry("tanh", StrictMath::tanh),
          Map.entry("day_of_month", utc(CivilTime::day)),
          Map.entry("day_of_week", utc(CivilTime::dayOfWeek)),
          Map.entry("day_of_year", utc(CivilTime::dayOfYear)),
          Map.entry("days_in_month", utc(CivilTime::daysInMonth)),
          Map.entry("hour", utc(CivilTime::hour)),
          Map.entry("minute", utc(CivilTime::minute)),
          Map.entry("month", utc(CivilTime::month)),
          Map.entry("year", utc(CivilTime::year)));

  private ValueFunctions() {}

  /** Returns the function of a name. */
  static DoubleUnaryOperator of(String name) {
    return Objects.requireNonNull(ALL.get(name), name);
  }

  /** Exact for powers of two. */
  private static double log2(double value) {
    if (!(value > 0) || Double.isInfinite(value)) {
      return StrictMath.log(value);
    }
    double normal = value < Double.MIN_NORMAL ? value * 0x1p52 : value;
    int exponent = Math.getExponent(normal) + 1;
    double fraction = Math.scalb(normal, -exponent);
    int shift = value < Double.MIN_NORMAL ? exponent - 52 : exponent;
    return fraction == 0.5 ? shift - 1 : shift + StrictMath.log(fraction) * (1 / LN_2);
  }

  private static double asinh(double value) {
    double x = Math.abs(value);
    if (!(x < Double.POSITIVE_INFINITY)) {
      return value;
    }
    double result;
    if (x > 0x1p28) {
      result = StrictMath.log(x) + LN_2;
    } else if (x > 2) {
      result = StrictMath.log(2 * x + 1 / (Math.sqrt(x * x + 1) + x));
    } else if (x < 0x1p-28) {
      result = x;
    } else {
      result = StrictMath.log1p(x + x * x / (1 + Math.sqrt(1 + x * x)));
    }
    return Math.copySign(result, value);
  }

  private static double acosh(double value) {
    if (value < 1 || Double.isNaN(value)) {
      return Double.NaN;
    }
    if (value >= 0x1p28) {
      return StrictMath.log(value) + LN_2;
    }
    if (value > 2) {
      return StrictMath.log(2 * value - 1 / (value + Math.sqrt(value * value - 1)));
    }
    double t = value - 1;
    return StrictMath.log1p(t + Math.sqrt(2 * t + t * t));
  }

  private static double atanh(double value) {
    double x = Math.abs(value);
    if (!(x <= 1)) {
      return Double.NaN;
    }
    if (x == 1) {
      return value * Double.POSITIVE_INFINITY;
    }
    double result;
    if (x < 0x1p-28) {
      result = x;
    } else if (x < 0.5) {
      double twice = x + x;
      result = 0.5 * StrictMath.log1p(twice + twice * x / (1 - x));
    } else {
      result = 0.5 * StrictMath.log1p((x + x) / (1 - x));
    }
    return Math.copySign(result, value);
  }

  /**
   * Returns a component of a time in UTC. A number beyond 64 bits counts as the least 64-bit
   * number.
   */
  private static DoubleUnaryOperator utc(ToDoubleFunction<CivilTime> part) {
    return seconds -> {
      long whole = Math.abs(seconds) < 0x1p63 ? (long) seconds : Long.MIN_VALUE;
      return part.applyAsDouble(CivilTime.of(whole));
    };
  }

  static double round(double value, double toNearest) {
    double inverse = 1 / toNearest;
    return Math.floor(value * inverse + 0.5) / inverse;
  }
}
