package dev.varve.query.promql.eval;

import dev.varve.query.promql.plan.SampleFunction;
import java.util.function.DoubleUnaryOperator;
import java.util.function.ToDoubleFunction;

/** Functions of a single value. */
final class ValueFunctions {
  private static final double LN_2 = 0.6931471805599453;
  private static final double LN_10 = 2.302585092994046;

  private ValueFunctions() {}

  /**
   * Returns a function of one number, or of one time in seconds since 1970 in UTC.
   *
   * @throws IllegalArgumentException if the function depends on the step or has parameters
   */
  static DoubleUnaryOperator of(SampleFunction function) {
    return switch (function) {
      case ABS -> Math::abs;
      case ACOS -> StrictMath::acos;
      case ACOSH -> ValueFunctions::acosh;
      case ASIN -> StrictMath::asin;
      case ASINH -> ValueFunctions::asinh;
      case ATAN -> StrictMath::atan;
      case ATANH -> ValueFunctions::atanh;
      case CEIL -> Math::ceil;
      case COS -> StrictMath::cos;
      case COSH -> StrictMath::cosh;
      case DAY_OF_MONTH -> utc(CivilTime::day);
      case DAY_OF_WEEK -> utc(CivilTime::dayOfWeek);
      case DAY_OF_YEAR -> utc(CivilTime::dayOfYear);
      case DAYS_IN_MONTH -> utc(CivilTime::daysInMonth);
      case DEG -> value -> value * 180 / Math.PI;
      case EXP -> StrictMath::exp;
      case FLOOR -> Math::floor;
      case HOUR -> utc(CivilTime::hour);
      case LN -> StrictMath::log;
      case LOG10 -> value -> log2(value) * (LN_2 / LN_10);
      case LOG2 -> ValueFunctions::log2;
      case MINUTE -> utc(CivilTime::minute);
      case MONTH -> utc(CivilTime::month);
      case RAD -> value -> value * Math.PI / 180;
      case SGN -> Math::signum;
      case SIN -> StrictMath::sin;
      case SINH -> StrictMath::sinh;
      case SQRT -> Math::sqrt;
      case TAN -> StrictMath::tan;
      case TANH -> StrictMath::tanh;
      case YEAR -> utc(CivilTime::year);
      case CLAMP, CLAMP_MAX, CLAMP_MIN, ROUND, TIMESTAMP, TIMESTAMP_OF_THE_SAMPLE ->
          throw new IllegalArgumentException(function.text() + " needs more than a value");
    };
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
