package dev.varve.layout.kairosdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;

/**
 * The row time in ms since 1970: 8 bytes, big-endian, signed. Rows before 1970 therefore sort after
 * all others.
 */
final class RowTimePart implements KeyPart.Time {
  static final int BYTES = 8;

  private final RowWidth width;

  RowTimePart(RowWidth width) {
    this.width = width;
  }

  @Override
  public String label() {
    return "row time";
  }

  @Override
  public Role role() {
    return Role.TIME;
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    out.i64(width.rowTime(input.time()));
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    out.time(timeAt(row, from, to));
    return from + BYTES;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    timeAt(row, from, to);
    return from + BYTES;
  }

  @Override
  public long timeAt(byte[] row, int from, int to) {
    if (to - from < BYTES) {
      throw new DamagedCellException(
          "row key: ends at byte %d inside the row time, which takes bytes %d to %d"
              .formatted(to, from, from + BYTES - 1));
    }
    long rowTime = (ColumnUnit.read(row, from) << 32) | ColumnUnit.read(row, from + 4);
    if (!width.isRowTime(rowTime)) {
      throw new DamagedCellException(
          "row key: row time %d at byte %d is not possible with a row width of %d ms"
              .formatted(rowTime, from, width.millis()));
    }
    return rowTime;
  }

  @Override
  public String show(byte[] row, int from, int to) {
    return Times.show(timeAt(row, from, to));
  }

  @Override
  public long floor(long time) {
    return width.rowTime(time);
  }

  @Override
  public long next(long bucket) {
    return width.end(bucket);
  }

  @Override
  public long lowestFrom(long time) {
    return width.lowestFrom(time);
  }

  @Override
  public boolean descending() {
    return false;
  }

  @Override
  public boolean instant() {
    return false;
  }
}
