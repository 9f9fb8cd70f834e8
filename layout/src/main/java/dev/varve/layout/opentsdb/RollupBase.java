package dev.varve.layout.opentsdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import java.time.Instant;

/** The base time in row keys of roll-ups: the start of a row's span, in seconds, in four bytes. */
record RollupBase(RollupInterval interval) implements KeyPart.Time {
  /** The last second that the original accepts for a roll-up, in the year 2106. */
  static final long LAST_SECOND = 0xFFFF_FFFFL;

  private static final int WIDTH = 4;

  @Override
  public String label() {
    return "base time";
  }

  @Override
  public Role role() {
    return Role.TIME;
  }

  /** Clamps times to the first and last span that rows can have. */
  @Override
  public void encode(KeyInput input, KeyBytes out) {
    out.u32(floor(input.time()) / 1000);
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    int next = skip(row, from, to);
    out.time(timeAt(row, from, to));
    return next;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    if (to - from < WIDTH) {
      throw new DamagedCellException(
          "row key: base time takes %d bytes, %d are left"
              .formatted(WIDTH, Math.max(0, to - from)));
    }
    seconds(row, from);
    return from + WIDTH;
  }

  @Override
  public String show(byte[] row, int from, int to) {
    return Instant.ofEpochSecond(seconds(row, from)).toString();
  }

  @Override
  public long floor(long time) {
    return 1000 * interval.floor(Math.clamp(Math.floorDiv(time, 1000L), 0, LAST_SECOND));
  }

  @Override
  public long timeAt(byte[] row, int from, int to) {
    skip(row, from, to);
    return 1000 * seconds(row, from);
  }

  @Override
  public long next(long bucket) {
    long next = interval.next(bucket / 1000);
    return next > LAST_SECOND ? Long.MAX_VALUE : 1000 * next;
  }

  @Override
  public boolean descending() {
    return false;
  }

  @Override
  public boolean instant() {
    return false;
  }

  private long seconds(byte[] row, int from) {
    long stored = Integer.toUnsignedLong(PointCodec.getInt(row, from));
    if (interval.floor(stored) != stored) {
      throw new DamagedCellException(
          "row key: base time %08X (%d s) is not the start of a span of %s"
              .formatted(stored, stored, interval.rowSpan()));
    }
    return stored;
  }
}
