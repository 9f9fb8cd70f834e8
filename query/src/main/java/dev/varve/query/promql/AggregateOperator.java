package dev.varve.query.promql;

import java.util.Locale;

/** What becomes of the series of a group. */
public enum AggregateOperator {
  AVG,
  BOTTOMK,
  COUNT,
  COUNT_VALUES,
  GROUP,
  LIMITK,
  LIMIT_RATIO,
  MAX,
  MIN,
  QUANTILE,
  STDDEV,
  STDVAR,
  SUM,
  TOPK;

  /** As it is written, in small letters. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether a parameter stands before the expression. */
  public boolean hasParameter() {
    return switch (this) {
      case BOTTOMK, COUNT_VALUES, LIMITK, LIMIT_RATIO, QUANTILE, TOPK -> true;
      case AVG, COUNT, GROUP, MAX, MIN, STDDEV, STDVAR, SUM -> false;
    };
  }

  /** Whether Prometheus knows it only behind a feature flag; such are refused. */
  boolean isExperimental() {
    return this == LIMITK || this == LIMIT_RATIO;
  }

  ValueType parameterType() {
    return this == COUNT_VALUES ? ValueType.STRING : ValueType.SCALAR;
  }
}
