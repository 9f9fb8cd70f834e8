package dev.varve.model;

/**
 * The value that says that a series has ended, a NaN of its own (Prometheus, {@code
 * model/value/value.go}). Every other NaN is a value.
 */
public final class StaleMarker {
  /** Its bits. */
  public static final long BITS = 0x7ff0000000000002L;

  /** The marker. */
  public static final double VALUE = Double.longBitsToDouble(BITS);

  private StaleMarker() {}

  /** Returns whether a value is the marker. */
  public static boolean is(double value) {
    return Double.doubleToRawLongBits(value) == BITS;
  }
}
