package dev.varve.layout.declared;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.model.Resolution;

/**
 * The start of the time range that a row covers.
 *
 * <pre>
 * Bucket := start i64     // first instant, big-endian, sign bit flipped; complemented in descending order
 * </pre>
 *
 * The start is stored as an absolute time rather than as a multiple of the width, so that keys are
 * readable without knowing the width. Eight bytes hold every instant of every resolution.
 */
final class BucketPart implements KeyPart.Time {
  private final String label;
  private final Bucketing bucketing;
  private final Resolution resolution;
  private final boolean descending;

  BucketPart(KeyElement.Bucket element, Resolution resolution) {
    this.label = element.text();
    this.bucketing = Bucketing.of(element.width(), resolution);
    this.resolution = resolution;
    this.descending = element.descending();
  }

  /** Returns the start of the first bucket that fits entirely into 64 bits. */
  long first() {
    return bucketing.first();
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public Role role() {
    return Role.TIME;
  }

  @Override
  public long floor(long time) {
    return bucketing.floor(Math.max(time, bucketing.first()));
  }

  @Override
  public long next(long bucket) {
    return bucketing.next(bucket);
  }

  @Override
  public boolean descending() {
    return descending;
  }

  @Override
  public boolean instant() {
    return false;
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    OrderedNumber.append(floor(input.time()), descending, out);
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    out.time(timeAt(row, from, to));
    return from + OrderedNumber.LENGTH;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    timeAt(row, from, to);
    return from + OrderedNumber.LENGTH;
  }

  @Override
  public long timeAt(byte[] row, int from, int to) {
    if (to - from < OrderedNumber.LENGTH) {
      throw new DamagedCellException(
          "row key, byte %d: %s takes 8 bytes, %d are left".formatted(from, label, to - from));
    }
    long start = OrderedNumber.read(row, from, descending);
    if (start < bucketing.first() || bucketing.floor(start) != start) {
      throw new DamagedCellException(
          "row key, byte %d: %d is not the start of a %s".formatted(from, start, label));
    }
    return start;
  }

  @Override
  public String show(byte[] row, int from, int to) {
    return Instants.show(timeAt(row, from, to), resolution);
  }

  @Override
  public String toString() {
    return label;
  }
}
