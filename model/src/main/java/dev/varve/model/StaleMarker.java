package dev.varve.model;

/**
 * The value that marks the end of a series: a NaN with a bit pattern of its own (Prometheus, {@code
 * model/value/value.go}). Every other NaN is an ordinary value.
 */
public final class StaleMarker {
  /** The bits of the marker. */
  public static final long BITS = 0x7ff0000000000002L;

  /** The marker as a double. */
  public static final double VALUE = Double.longBitsToDouble(BITS);

  private StaleMarker() {}

  /** Returns whether a value is the marker. */
  public static boolean is(double value) {
    return Double.doubleToRawLongBits(value) == BITS;
  }
}
