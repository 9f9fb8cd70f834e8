package dev.varve.server.heroic.query;

import dev.varve.server.heroic.aggregation.Fold;
import dev.varve.server.heroic.error.HeroicError;
import org.jspecify.annotations.Nullable;

/** Names and parameters of aggregations, which are the same in JSON and in Heroic's language. */
final class AggregationNames {
  private AggregationNames() {}

  /** Returns the fold of a name; null if it is none without parameters. */
  static Fold.@Nullable Basic basic(String name) {
    for (Fold.Basic basic : Fold.Basic.values()) {
      if (basic.label().equals(name)) {
        return basic;
      }
    }
    return null;
  }

  static String unknown(String name) {
    return "no aggregation '%s'; there are average, sum, sum2, min, max, count, stddev, spread, quantile, group-unique, ratePerSecond, cardinality, tdigest, tpl, empty, delta, deltaPerSecond, notNegative, topk, bottomk, abovek, belowk, pointsabove, pointsbelow, group, collapse, chain and opts"
        .formatted(name);
  }

  /** Checks a number of series to keep. */
  static long count(long k) {
    if (k < 0) {
      throw HeroicError.of("k must be at least 0, not " + k);
    }
    return k;
  }

  /**
   * Returns a quantile.
   *
   * @param error how far Heroic's estimate may be off; checked, but the value is exact
   */
  static Fold quantile(@Nullable Double q, @Nullable Double error) {
    double chosen = q == null ? 0.5 : q;
    if (!(chosen >= 0 && chosen <= 1)) {
      throw HeroicError.of("q must be from 0 to 1, not " + chosen);
    }
    if (error != null && !(error >= 0 && error < 1)) {
      throw HeroicError.of("error must be from 0 to 1, not " + error);
    }
    return new Fold.Quantile(chosen);
  }

  /** Returns a cardinality; all methods count exactly. */
  static Fold cardinality(String method, boolean includeKey) {
    return switch (method) {
      case "exact", "hll", "hllp" -> new Fold.Cardinality(includeKey);
      default ->
          throw HeroicError.of(
              "no cardinality method '%s'; there are exact, hll and hllp".formatted(method));
    };
  }
}
