package dev.varve.layout.kairosdb;

import dev.varve.model.Bytes;

/**
 * How a column name says how far behind the row time a sample is: four bytes, big-endian, to be
 * compared unsigned.
 *
 * <pre>
 *   LEGACY        offset in ms &lt;&lt; 1 | flag    the flag is 1 for floats in rows without a data type
 *   MILLISECONDS  offset in ms
 *   SECONDS       offset in ms / 1000, cut
 * </pre>
 *
 * A keyspace that KairosDB 1.3 was the first to use has unit MILLISECONDS or SECONDS, one that any
 * earlier version wrote has LEGACY.
 */
enum ColumnUnit {
  LEGACY(1, 1, 1_814_400_000L),
  MILLISECONDS(0, 1, 1_814_400_000L),
  /**
   * Row times are computed with a width in seconds where one in milliseconds is wanted, so that
   * rows are 1,814.4 s wide.
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

  /** The row width that KairosDB takes unless it is told otherwise, as {@link RowWidth} counts. */
  long defaultWidth() {
    return defaultWidth;
  }

  /** The column, flag 0, of an offset of 0 to 2^31 - 1 ms. */
  long column(long offset) {
    return (offset / millis) << shift;
  }

  /** The offset in ms that a column, 0 to 2^32 - 1, says. */
  long offset(long column) {
    return (column >>> shift) * millis;
  }

  /** The last offset in ms whose column says {@code offset}: what is finer is cut. */
  long lastLike(long offset) {
    return offset + millis - 1;
  }

  /** Whether an offset can be read back from its column. */
  boolean holds(long offset) {
    return offset % millis == 0;
  }

  /** The name of the first column whose offset is not below the one given. */
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
