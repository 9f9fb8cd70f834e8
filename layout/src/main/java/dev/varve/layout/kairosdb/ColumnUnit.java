package dev.varve.layout.kairosdb;

import dev.varve.model.Bytes;

/**
 * The encoding of a sample's offset from the row time in a column name: four bytes, big-endian,
 * unsigned.
 *
 * <pre>
 *   LEGACY        offset in ms &lt;&lt; 1 | flag    the flag is 1 for floats in rows without a data type
 *   MILLISECONDS  offset in ms
 *   SECONDS       offset in ms / 1000, truncated
 * </pre>
 *
 * Keyspaces created by KairosDB 1.3 or later have unit MILLISECONDS or SECONDS; older ones have
 * LEGACY.
 */
enum ColumnUnit {
  LEGACY(1, 1, 1_814_400_000L),
  MILLISECONDS(0, 1, 1_814_400_000L),
  /**
   * KairosDB computes row times in milliseconds with a width meant as seconds, so rows are 1,814.4
   * s wide.
   */
  SECONDS(0, 1000, 1_814_400L);

  static final int BYTES = 4;

  private final int shift;
  private final int millis;
  private final long defaultWidth;

  ColumnUnit(int shift, int millis, long defaultWidth) {
    this.shift = shift;
    this.millis = millis;
    this.defaultWidth = defaultWidth;
  }

  /** Returns the row width that KairosDB uses by default, in the unit of {@link RowWidth}. */
  long defaultWidth() {
    return defaultWidth;
  }

  /** Returns the column, with flag 0, of an offset of 0 to 2^31 - 1 ms. */
  long column(long offset) {
    return (offset / millis) << shift;
  }

  /** Returns the offset in ms of a column of 0 to 2^32 - 1. */
  long offset(long column) {
    return (column >>> shift) * millis;
  }

  /** Returns the last offset in ms whose column decodes to {@code offset}. */
  long lastLike(long offset) {
    return offset + millis - 1;
  }

  /** Returns whether an offset in ms can be read back exactly from its column. */
  boolean holds(long offset) {
    return offset % millis == 0;
  }

  /** Returns the name of the first column whose offset is at least {@code offset} ms. */
  Bytes columnFrom(long offset) {
    long within = Math.clamp(offset, 0, RowWidth.MAX);
    long column = Math.min(Math.ceilDiv(within, millis) << shift, 0xffff_ffffL);
    return Bytes.of(
        (byte) (column >>> 24), (byte) (column >>> 16), (byte) (column >>> 8), (byte) column);
  }

  static long read(byte[] bytes, int at) {
    return ((bytes[at] & 0xffL) << 24)
        | ((bytes[at + 1] & 0xffL) << 16)
        | ((bytes[at + 2] & 0xffL) << 8)
        | (bytes[at + 3] & 0xffL);
  }
}
