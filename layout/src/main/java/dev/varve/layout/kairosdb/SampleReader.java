package dev.varve.layout.kairosdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.RowSamples;
import dev.varve.model.Kind;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.store.CellBatch;

/** Decodes the cells of one row of {@code data_points}. */
final class SampleReader {
  private final RowWidth width;
  private final ColumnUnit unit;
  private final long rowTime;
  private final DataType type;
  private final RowSamples out;
  private final KeyBytes text = new KeyBytes();

  SampleReader(RowWidth width, ColumnUnit unit, long rowTime, DataType type, RowSamples out) {
    this.width = width;
    this.unit = unit;
    this.rowTime = rowTime;
    this.type = type;
    this.out = out;
  }

  void read(CellBatch cells, int from, int to) {
    for (int i = from; i < to; i++) {
      try {
        read(cells, i);
      } catch (DamagedCellException e) {
        out.damaged(i, String.valueOf(e.getMessage()));
      }
    }
  }

  private void read(CellBatch cells, int i) {
    byte[] bytes = cells.bytes();
    long column = column(bytes, cells.qualifierOffset(i), cells.qualifierLength(i));
    long time = time(column);
    long stamp = stamp(cells.time(i));
    int from = cells.valueOffset(i);
    int length = cells.valueLength(i);
    switch (type) {
      case LONG -> samples(Kind.INT64).add(time, Values.readLong(bytes, from, length), stamp);
      case DOUBLE -> samples(Kind.DOUBLE).add(time, Values.readDouble(bytes, from, length), stamp);
      case STRING -> addText(time, bytes, from, length, stamp);
      case UNTYPED -> {
        if ((column & 1) == 0) {
          samples(Kind.INT64).add(time, Values.readUntypedLong(bytes, from, length), stamp);
        } else {
          samples(Kind.DOUBLE).add(time, Values.readUntypedDouble(bytes, from, length), stamp);
        }
      }
    }
  }

  private Samples samples(Kind kind) {
    return out.samples(Series.DEFAULT_FIELD, kind);
  }

  private void addText(long time, byte[] bytes, int from, int length, long stamp) {
    Values.checkText(bytes, from, length);
    int start = from + 2;
    int end = from + length;
    if (Utf8.sameInBoth(bytes, start, end)) {
      samples(Kind.STRING).add(time, bytes, start, length - 2, stamp);
    } else {
      text.clear();
      Utf8.fromModified(bytes, start, end, text);
      samples(Kind.STRING).add(time, text.array(), 0, text.length(), stamp);
    }
  }

  /**
   * Returns the column name as a number, 0 to 2^32 - 1.
   *
   * @throws DamagedCellException if the qualifier does not have four bytes
   */
  static long column(byte[] bytes, int from, int length) {
    if (length != ColumnUnit.BYTES) {
      throw new DamagedCellException("qualifier: %d bytes, a column name has 4".formatted(length));
    }
    return ColumnUnit.read(bytes, from);
  }

  /**
   * Returns the time of the sample in a column, in ms since 1970.
   *
   * @throws DamagedCellException if no sample of this row can be in the column
   */
  long time(long column) {
    if (unit == ColumnUnit.LEGACY && type != DataType.UNTYPED && (column & 1) != 0) {
      throw new DamagedCellException(
          "qualifier: %08x has its lowest bit set, in a row of type %s"
              .formatted(column, type.typeName()));
    }
    long offset = unit.offset(column);
    // With unit SECONDS KairosDB truncates offsets. Before 1970 the truncated time may belong to
    // another row, so accept the column if any offset that maps to it belongs to this row.
    if (!width.holdsAny(rowTime, offset, unit.lastLike(offset))) {
      throw new DamagedCellException(
          "qualifier: %08x is an offset of %d ms, which no sample has in a row of time %d and width %d"
              .formatted(column, offset, rowTime, width.millis()));
    }
    return rowTime + offset;
  }

  /** Converts a cell time in ms to a stamp in microseconds, clamped to 64 bits. */
  private static long stamp(long cellTime) {
    return Math.clamp(cellTime, Long.MIN_VALUE / 1000, Long.MAX_VALUE / 1000) * 1000;
  }
}
