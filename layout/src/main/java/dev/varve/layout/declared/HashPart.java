package dev.varve.layout.declared;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.model.Bytes;

/**
 * The leading bytes of a hash of the parts after it.
 *
 * <pre>
 * Hash := byte{1..8}     // KeyHash
 * </pre>
 *
 * It acts as a salt that the key alone determines, with too many buckets for any query to read them
 * all.
 */
final class HashPart implements KeyPart.Salt {
  private final String label;
  private final int width;
  private final CoveredParts parts;

  HashPart(KeyElement.Hash element, CoveredParts parts) {
    this.label = element.text();
    this.width = element.bytes();
    this.parts = parts;
  }

  private long leading(long hash) {
    return hash >>> (64 - 8 * width);
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public Role role() {
    return Role.SALT;
  }

  /** Saturates at the range of an int beyond three bytes; nobody reads the buckets one by one. */
  @Override
  public int buckets() {
    return width > 3 ? Integer.MAX_VALUE : 1 << (8 * width);
  }

  @Override
  public Of of() {
    return Of.KEY;
  }

  @Override
  public void encodeBucket(int bucket, KeyBytes out) {
    out.number(bucket, width);
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    out.number(leading(parts.hash(input, out)), width);
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    return check(row, from, to);
  }

  /** Like {@link #skip}, and verifies that the hash matches the row. */
  int check(byte[] row, int from, int to) {
    int next = skip(row, from, to);
    CoveredParts.check(
        label, from, OrderedNumber.unsigned(row, from, width), leading(parts.hash(row, next, to)));
    return next;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    if (to - from < width) {
      throw new DamagedCellException(
          "row key, byte %d: %s takes %d bytes, %d are left"
              .formatted(from, label, width, to - from));
    }
    return from + width;
  }

  @Override
  public String show(byte[] row, int from, int to) {
    return Bytes.copyOf(row, from, to - from).hex();
  }

  @Override
  public String toString() {
    return label;
  }
}
