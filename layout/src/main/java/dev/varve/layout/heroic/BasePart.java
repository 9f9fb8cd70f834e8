package dev.varve.layout.heroic;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;

/**
 * The start of the time span of a row: a multiple of 2^32 milliseconds in 8 bytes; the last four
 * are zero.
 *
 * <p>Heroic rounds times before 1970 towards zero, so one cell may represent two instants. Such
 * times are outside the domain, and negative bases are damaged.
 */
record BasePart() implements KeyPart.Time {
  static final long WIDTH = 1L << 32;
  private static final int BYTES = 8;

  @Override
  public String label() {
    return "base";
  }

  @Override
  public Role role() {
    return Role.TIME;
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    out.i64(floor(input.time()));
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    int end = skip(row, from, to);
    out.time(timeAt(row, from, to));
    return end;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    if (to - from < BYTES) {
      throw new DamagedCellException(
          "row key: a base of 8 bytes is expected at byte %d, %d are left"
              .formatted(from, to - from));
    }
    long base = timeAt(row, from, to);
    if (base < 0 || floor(base) != base) {
      throw new DamagedCellException(
          "row key: the base at byte %d is %d, and should be a multiple of 2^32 from 0 on"
              .formatted(from, base));
    }
    return from + BYTES;
  }

  @Override
  public long timeAt(byte[] row, int from, int to) {
    long base = 0;
    for (int i = 0; i < BYTES; i++) {
      base = (base << 8) | (row[from + i] & 0xff);
    }
    return base;
  }

  @Override
  public String show(byte[] row, int from, int to) {
    return Long.toString(timeAt(row, from, to));
  }

  @Override
  public long floor(long time) {
    return time & -WIDTH;
  }

  @Override
  public long next(long bucket) {
    return bucket > Long.MAX_VALUE - WIDTH ? Long.MAX_VALUE : bucket + WIDTH;
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
