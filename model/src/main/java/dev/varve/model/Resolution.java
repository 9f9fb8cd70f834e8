package dev.varve.model;

import java.time.Instant;

/**
 * The unit of a timestamp: whole seconds, milliseconds, microseconds or nanoseconds since
 * 1970-01-01T00:00:00Z. Earlier times are negative.
 */
public enum Resolution {
  SECONDS(1_000_000_000L, "s"),
  MILLISECONDS(1_000_000L, "ms"),
  MICROSECONDS(1_000L, "us"),
  NANOSECONDS(1L, "ns");

  private final long nanos;
  private final String symbol;

  Resolution(long nanos, String symbol) {
    this.nanos = nanos;
    this.symbol = symbol;
  }

  public String symbol() {
    return symbol;
  }

  /** Returns how many of this unit make one second. */
  public long perSecond() {
    return 1_000_000_000L / nanos;
  }

  /**
   * Returns a length of time in milliseconds. It is exact for whole milliseconds below 2^53, so
   * computations with it do not depend on the unit.
   */
  public double millis(long length) {
    long larger = Math.max(nanos, MILLISECONDS.nanos);
    long ratio = larger / Math.min(nanos, MILLISECONDS.nanos);
    return nanos == larger ? (double) length * ratio : (double) length / ratio;
  }

  /**
   * Converts a time to another unit, rounding towards the past.
   *
   * @throws ArithmeticException if the result does not fit into 64 bits
   */
  public long convert(long time, Resolution target) {
    return nanos >= target.nanos
        ? Math.multiplyExact(time, nanos / target.nanos)
        : Math.floorDiv(time, target.nanos / nanos);
  }

  /** Returns the instant of a time, or the closest one that an {@link Instant} can hold. */
  public Instant instant(long time) {
    long second = perSecond();
    long seconds =
        Math.clamp(
            Math.floorDiv(time, second),
            Instant.MIN.getEpochSecond(),
            Instant.MAX.getEpochSecond());
    return Instant.ofEpochSecond(seconds, Math.floorMod(time, second) * nanos);
  }

  /**
   * Finds a unit by its symbol: {@code s}, {@code ms}, {@code us} or {@code ns}.
   *
   * @throws IllegalArgumentException if no unit has that symbol
   */
  public static Resolution ofSymbol(String symbol) {
    for (Resolution resolution : values()) {
      if (resolution.symbol.equals(symbol)) {
        return resolution;
      }
    }
    throw new IllegalArgumentException(
        "'" + symbol + "' is not a time resolution (try s, ms, us or ns)");
  }
}
