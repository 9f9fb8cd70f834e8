package dev.varve.query.promql;

import java.util.Locale;

/** An aggregation operator. */
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

  /** Returns its keyword, in lower case. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether it takes a parameter before the expression. */
  public boolean hasParameter() {
    return switch (this) {
      case BOTTOMK, COUNT_VALUES, LIMITK, LIMIT_RATIO, QUANTILE, TOPK -> true;
      case AVG, COUNT, GROUP, MAX, MIN, STDDEV, STDVAR, SUM -> false;
    };
  }

  /**
   * Returns whether Prometheus supports it only with a feature flag. Such operators are rejected.
   */
  public boolean isExperimental() {
    return this == LIMITK || this == LIMIT_RATIO;
  }

  ValueType parameterType() {
    return this == COUNT_VALUES ? ValueType.STRING : ValueType.SCALAR;
  }
}
