package dev.varve.layout.declared;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.model.Resolution;

/**
 * The instant of a sample: each row holds a single sample time.
 *
 * <pre>
 * Instant := time i64     // big-endian, sign bit flipped; newest first: the complement of that
 * </pre>
 */
final class InstantPart implements KeyPart.Time {
  private final String label;
  private final Resolution resolution;
  private final boolean descending;

  InstantPart(KeyElement.Time element, Resolution resolution) {
    this.label = element.text();
    this.resolution = resolution;
    this.descending = element.descending();
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
    return time;
  }

  @Override
  public long next(long bucket) {
    return bucket == Long.MAX_VALUE ? bucket : bucket + 1;
  }

  @Override
  public boolean descending() {
    return descending;
  }

  @Override
  public boolean instant() {
    return true;
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    OrderedNumber.append(input.time(), descending, out);
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
    long time = OrderedNumber.read(row, from, descending);
    if (time == Long.MAX_VALUE) {
      throw new DamagedCellException(
          "row key, byte %d: %s is %d, which belongs to no range".formatted(from, label, time));
    }
    return time;
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
