package dev.varve.query.promql.eval;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleUnaryOperator;
import java.util.function.ToIntFunction;

/** Functions of one value. */
final class ValueFunctions {
  private static final double LN_2 = 0.6931471805599453;
  private static final long SECONDS_MIN = LocalDateTime.MIN.toEpochSecond(ZoneOffset.UTC);
  private static final long SECONDS_MAX = LocalDateTime.MAX.toEpochSecond(ZoneOffset.UTC);
  private static final double LN_10 = 2.302585092994046;

  /** By name: those of numbers, and those of times in seconds since 1970, in UTC. */
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
          Map.entry("day_of_month", utc(time -> time.getDayOfMonth(), 4)),
          Map.entry("day_of_week", utc(time -> time.getDayOfWeek().getValue() % 7, 0)),
          Map.entry("day_of_year", utc(time -> time.getDayOfYear(), 339)),
          Map.entry("days_in_month", utc(time -> time.toLocalDate().lengthOfMonth(), 31)),
          Map.entry("hour", utc(time -> time.getHour(), 15)),
          Map.entry("minute", utc(time -> time.getMinute(), 30)),
          Map.entry("month", utc(time -> time.getMonthValue(), 12)),
          Map.entry("year", utc(time -> time.getYear(), 292277026596d)));

  private ValueFunctions() {}

  /** The function of a name. */
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
   * A part of a time in UTC.
   *
   * @param beyond what it is of a number that 64 bits do not hold: the seconds are the least that
   *     they do then, and Go's calendar, which knows no year before that, goes round
   */
  private static DoubleUnaryOperator utc(ToIntFunction<LocalDateTime> part, double beyond) {
    return seconds -> {
      if (!(Math.abs(seconds) < 0x1p63)) {
        return beyond;
      }
      long whole = Math.clamp((long) seconds, SECONDS_MIN, SECONDS_MAX);
      return part.applyAsInt(LocalDateTime.ofEpochSecond(whole, 0, ZoneOffset.UTC));
    };
  }

  static double round(double value, double toNearest) {
    double inverse = 1 / toNearest;
    return Math.floor(value * inverse + 0.5) / inverse;
  }
}
