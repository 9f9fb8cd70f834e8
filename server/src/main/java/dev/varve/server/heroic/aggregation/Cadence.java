package dev.varve.server.heroic.aggregation;

/** The default size of buckets: a round number that makes about 240 buckets. */
final class Cadence {
  private static final long BUCKETS = 240;

  private static final long[] SIZES = {
    1,
    5,
    10,
    50,
    100,
    250,
    500,
    1_000,
    5_000,
    10_000,
    15_000,
    30_000,
    60_000,
    300_000,
    600_000,
    900_000,
    1_800_000,
    3_600_000,
    10_800_000,
    21_600_000,
    43_200_000,
    86_400_000,
    172_800_000,
    259_200_000,
    604_800_000,
    1_209_600_000
  };

  private Cadence() {}

  /** Returns the largest round size below a 240th of a span, in ms; at least 1. */
  static long of(long span) {
    long nominal = span / BUCKETS;
    long best = Math.max(nominal, 1);
    for (long size : SIZES) {
      if (size < nominal) {
        best = size;
      }
    }
    return best;
  }
}
