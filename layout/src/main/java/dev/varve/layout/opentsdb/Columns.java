package dev.varve.layout.opentsdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.RowSamples;
import dev.varve.model.Kind;
import dev.varve.model.Series;
import dev.varve.store.CellBatch;
import java.util.Arrays;

/**
 * The columns of a row of {@code tsdb}. The qualifier tells them apart; where a rollup has
 * aggregator 1 or 5, the value does:
 *
 * <pre>
 *  2 bytes, or 4 starting 1111       one point
 *  any other even length             a compacted column: all entries, then all values
 *  05 00 00                          an appended column: entry, value, entry, value, ...
 *  01 and 2 or 4 bytes               an annotation
 *  06 and 2 or 4 bytes               a histogram
 *  one byte and 2, NAME ':' and 2    a rollup
 * </pre>
 *
 * <p>A column is checked before any of it is decoded, so it is decoded as a whole or not at all. If
 * two entries have the same instant, the first wins in a compacted column, as in the original's
 * merge, and the last in an appended column.
 */
final class Columns {
  static final byte ANNOTATION_PREFIX = 0x01;
  static final byte APPEND_PREFIX = 0x05;
  static final byte HISTOGRAM_PREFIX = 0x06;

  /** The last byte of a compacted value if all times are in seconds or all are in milliseconds. */
  static final byte ONE_UNIT = 0;

  /** The last byte of a compacted value if it has times in seconds and in milliseconds. */
  static final byte MIXED_UNITS = 1;

  private static final int OLD_ROLLUP_TAIL = 3;

  enum Content {
    POINT,
    COMPACTED,
    APPENDED,
    ANNOTATION,
    HISTOGRAM,
    ROLLUP;

    /** Returns whether the column holds one or more points. */
    boolean points() {
      return this == POINT || this == COMPACTED || this == APPENDED;
    }
  }

  private Columns() {}

  /**
   * Returns the kind of content of a cell.
   *
   * @throws DamagedCellException if its format is unknown
   */
  static Content content(CellBatch cells, int cell) {
    byte[] bytes = cells.bytes();
    int at = cells.qualifierOffset(cell);
    int length = cells.qualifierLength(cell);
    if (isNamedRollup(bytes, at, length)) {
      return Content.ROLLUP;
    }
    if (length > 0 && length % 2 == 0) {
      return length == (PointCodec.millis(bytes[at]) ? 4 : 2) ? Content.POINT : Content.COMPACTED;
    }
    byte prefix = length == 0 ? 0 : bytes[at];
    if (length == 3) {
      return switch (prefix) {
        case ANNOTATION_PREFIX -> isJson(cells, cell) ? Content.ANNOTATION : Content.ROLLUP;
        case APPEND_PREFIX ->
            bytes[at + 1] == 0 && bytes[at + 2] == 0 && cells.valueLength(cell) != 1
                ? Content.APPENDED
                : Content.ROLLUP;
        case HISTOGRAM_PREFIX -> Content.HISTOGRAM;
        default -> Content.ROLLUP;
      };
    }
    if (length == 5 && prefix == ANNOTATION_PREFIX) {
      return Content.ANNOTATION;
    }
    if (length == 5 && prefix == HISTOGRAM_PREFIX) {
      return Content.HISTOGRAM;
    }
    throw new DamagedCellException(
        "qualifier %s: no point, annotation, histogram or rollup has one of %d bytes"
                .formatted(RowKeys.HEX.formatHex(bytes, at, at + Math.min(length, 16)), length)
            + (length > 0 ? " that starts like this" : ""));
  }

  /**
   * Decodes the points of a column into {@code out}.
   *
   * @param base the base time of the row, in ms since 1970
   * @throws DamagedCellException if the column is damaged; nothing of it was decoded
   */
  static void read(
      Content content, CellBatch cells, int cell, long base, long stamp, RowSamples out) {
    check(content, cells, cell, base);
    switch (content) {
      case POINT -> readPoint(cells, cell, base, stamp, out);
      case COMPACTED -> readCompacted(cells, cell, base, stamp, out);
      case APPENDED -> readAppended(cells, cell, base, stamp, out);
      case ANNOTATION, HISTOGRAM, ROLLUP -> throw noPoints(content);
    }
  }

  /**
   * Checks a column of points.
   *
   * @throws DamagedCellException if it is damaged
   */
  static void check(Content content, CellBatch cells, int cell, long base) {
    switch (content) {
      case POINT -> checkPoint(cells, cell, base);
      case COMPACTED -> checkCompacted(cells, cell, base);
      case APPENDED -> checkAppended(cells, cell, base);
      case ANNOTATION, HISTOGRAM, ROLLUP -> throw noPoints(content);
    }
  }

  private static IllegalArgumentException noPoints(Content content) {
    return new IllegalArgumentException(content + " is no point");
  }

  /** Rejects a well-formed point that no server can have written. */
  private static void checkEntry(
      byte[] bytes, int qualifier, int flags, int value, int length, long base) {
    RowKeys.checkTime(base + PointCodec.offset(bytes, qualifier));
    if ((flags & PointCodec.FLOAT) != 0
        && !Double.isFinite(PointCodec.real(bytes, value, length))) {
      throw new DamagedCellException(
          "value: %s, a number of OpenTSDB is finite"
              .formatted(PointCodec.real(bytes, value, length)));
    }
  }

  private static void checkPoint(CellBatch cells, int cell, long base) {
    int flags = pointFlags(cells, cell);
    int length = PointCodec.checkedLength(flags);
    int value = cells.valueOffset(cell) + cells.valueLength(cell) - length;
    checkEntry(cells.bytes(), cells.qualifierOffset(cell), flags, value, length, base);
  }

  /**
   * Returns the flags of a point in a cell of its own, corrected if an old server wrote wrong ones.
   * The number is at the end of the value.
   */
  static int pointFlags(CellBatch cells, int cell) {
    byte[] bytes = cells.bytes();
    int qualifier = cells.qualifierOffset(cell);
    int flags = PointCodec.flags(bytes, qualifier);
    int length = cells.valueLength(cell);
    if (cells.qualifierLength(cell) == 2) {
      return PointCodec.paddedFloat(flags, bytes, cells.valueOffset(cell), length)
          ? flags
          : PointCodec.mended(flags, length);
    }
    if (PointCodec.valueLength(flags) != length) {
      throw new DamagedCellException(
          "value: %d bytes, the qualifier says %d"
              .formatted(length, PointCodec.valueLength(flags)));
    }
    return flags;
  }

  private static void readPoint(CellBatch cells, int cell, long base, long stamp, RowSamples out) {
    byte[] bytes = cells.bytes();
    int flags = pointFlags(cells, cell);
    int length = PointCodec.valueLength(flags);
    int value = cells.valueOffset(cell) + cells.valueLength(cell) - length;
    long time = base + PointCodec.offset(bytes, cells.qualifierOffset(cell));
    add(out, time, flags, bytes, value, length, stamp);
  }

  /** Checks that the entries are in ascending order and use up all of the value but one byte. */
  private static void checkCompacted(CellBatch cells, int cell, long base) {
    byte[] bytes = cells.bytes();
    int start = cells.qualifierOffset(cell);
    int end = start + cells.qualifierLength(cell);
    int value = cells.valueOffset(cell);
    int last = value + cells.valueLength(cell) - 1;
    int before = 0;
    int at = start;
    while (at < end) {
      int width = PointCodec.qualifierLength(bytes, at, end);
      int flags = PointCodec.flags(bytes, at);
      int length = PointCodec.checkedLength(flags);
      if (last - value < length) {
        throw new DamagedCellException(
            "value, byte %d: a number of %d bytes and one more, %d are left"
                .formatted(value - cells.valueOffset(cell), length, last + 1 - value));
      }
      checkEntry(bytes, at, flags, value, length, base);
      int offset = PointCodec.offset(bytes, at);
      if (offset < before) {
        throw new DamagedCellException(
            "qualifier, byte %d: an entry at %d ms comes after one at %d ms"
                .formatted(at - start, offset, before));
      }
      before = offset;
      value += length;
      at += width;
    }
    if (value != last) {
      throw new DamagedCellException(
          "value: %d bytes after the last number, a compacted column has one"
              .formatted(last + 1 - value));
    }
    if (bytes[last] != ONE_UNIT && bytes[last] != MIXED_UNITS) {
      throw new DamagedCellException(
          "value: ends in %02X, a compacted column in 00 or 01".formatted(bytes[last]));
    }
  }

  private static void readCompacted(
      CellBatch cells, int cell, long base, long stamp, RowSamples out) {
    byte[] bytes = cells.bytes();
    int at = cells.qualifierOffset(cell);
    int end = at + cells.qualifierLength(cell);
    int value = cells.valueOffset(cell);
    int before = -1;
    while (at < end) {
      int offset = PointCodec.offset(bytes, at);
      int flags = PointCodec.flags(bytes, at);
      int length = PointCodec.valueLength(flags);
      if (offset != before) {
        add(out, base + offset, flags, bytes, value, length, stamp);
      }
      before = offset;
      value += length;
      at += PointCodec.qualifierLength(bytes, at, end);
    }
  }

  private static void checkAppended(CellBatch cells, int cell, long base) {
    byte[] bytes = cells.bytes();
    int start = cells.valueOffset(cell);
    int end = start + cells.valueLength(cell);
    if (start == end) {
      throw new DamagedCellException("value: empty, an appended column has an entry");
    }
    for (int at = start; at < end; at = nextAppended(bytes, at, end)) {
      int value = at + PointCodec.qualifierLength(bytes, at, end);
      int flags = PointCodec.flags(bytes, at);
      int length = PointCodec.checkedLength(flags);
      if (end - value < length) {
        throw new DamagedCellException(
            "value, byte %d: a number of %d bytes, %d are left"
                .formatted(value - start, length, end - value));
      }
      checkEntry(bytes, at, flags, value, length, base);
    }
  }

  private static void readAppended(
      CellBatch cells, int cell, long base, long stamp, RowSamples out) {
    byte[] bytes = cells.bytes();
    int start = cells.valueOffset(cell);
    int end = start + cells.valueLength(cell);
    if (rises(bytes, start, end)) {
      for (int at = start; at < end; at = nextAppended(bytes, at, end)) {
        addAppended(out, bytes, at, end, base, stamp);
      }
    } else {
      for (long entry : appendedInOrder(bytes, start, end)) {
        addAppended(out, bytes, (int) entry, end, base, stamp);
      }
    }
  }

  private static boolean rises(byte[] bytes, int start, int end) {
    int before = -1;
    for (int at = start; at < end; at = nextAppended(bytes, at, end)) {
      int offset = PointCodec.offset(bytes, at);
      if (offset <= before) {
        return false;
      }
      before = offset;
    }
    return true;
  }

  static int nextAppended(byte[] bytes, int at, int end) {
    return at
        + PointCodec.qualifierLength(bytes, at, end)
        + PointCodec.valueLength(PointCodec.flags(bytes, at));
  }

  /**
   * Returns the entries of an appended column by time, and for each instant only the last one
   * appended. The high half of each long is the offset, the low half the position of the entry.
   * Entries appended out of order or twice are the only case that needs memory per sample.
   */
  private static long[] appendedInOrder(byte[] bytes, int start, int end) {
    long[] entries = new long[(end - start) / 3];
    int count = 0;
    for (int at = start; at < end; at = nextAppended(bytes, at, end)) {
      entries[count++] = ((long) PointCodec.offset(bytes, at) << 32) | at;
    }
    Arrays.sort(entries, 0, count);
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (i + 1 == count || entries[i] >>> 32 != entries[i + 1] >>> 32) {
        entries[kept++] = entries[i];
      }
    }
    return Arrays.copyOf(entries, kept);
  }

  private static void addAppended(
      RowSamples out, byte[] bytes, int at, int end, long base, long stamp) {
    int flags = PointCodec.flags(bytes, at);
    int value = at + PointCodec.qualifierLength(bytes, at, end);
    add(
        out,
        base + PointCodec.offset(bytes, at),
        flags,
        bytes,
        value,
        PointCodec.valueLength(flags),
        stamp);
  }

  private static void add(
      RowSamples out, long time, int flags, byte[] bytes, int at, int length, long stamp) {
    if ((flags & PointCodec.FLOAT) == 0) {
      out.samples(Series.DEFAULT_FIELD, Kind.INT64)
          .add(time, PointCodec.integer(bytes, at, length), stamp);
    } else {
      out.samples(Series.DEFAULT_FIELD, Kind.DOUBLE)
          .add(time, PointCodec.real(bytes, at, length), stamp);
    }
  }

  /**
   * Returns whether a qualifier is an aggregator's name, a colon and two bytes. No points have such
   * a qualifier: the colon would be the flags of a float of three bytes.
   */
  private static boolean isNamedRollup(byte[] bytes, int at, int length) {
    int colon = at + length - OLD_ROLLUP_TAIL;
    if (length <= OLD_ROLLUP_TAIL || bytes[colon] != ':' || !Character.isLetter(bytes[at])) {
      return false;
    }
    for (int i = at + 1; i < colon; i++) {
      if (!Character.isLetterOrDigit(bytes[i])) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether a cell is an annotation rather than a rollup whose aggregator has the same
   * first byte.
   */
  private static boolean isJson(CellBatch cells, int cell) {
    int at = cells.valueOffset(cell);
    int length = cells.valueLength(cell);
    return length > PointCodec.VALUE_MAX
        || (length > 1 && cells.bytes()[at] == '{' && cells.bytes()[at + length - 1] == '}');
  }
}
