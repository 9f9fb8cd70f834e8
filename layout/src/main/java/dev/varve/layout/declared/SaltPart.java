package dev.varve.layout.declared;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;

/**
 * A number computed from later parts, which spreads neighbouring keys over a fixed number of
 * prefixes.
 *
 * <pre>
 * Salt := bucket u8 | u16     // u16 if there are more than 256; KeyHash.bucket
 * </pre>
 */
final class SaltPart implements KeyPart.Salt {
  private final String label;
  private final int buckets;
  private final Of of;
  private final CoveredParts parts;

  SaltPart(KeyElement.Salt element, Of of, CoveredParts parts) {
    this.label = element.text();
    this.buckets = element.buckets();
    this.of = of;
    this.parts = parts;
  }

  private int width() {
    return buckets <= 256 ? 1 : 2;
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public Role role() {
    return Role.SALT;
  }

  @Override
  public int buckets() {
    return buckets;
  }

  @Override
  public Of of() {
    return of;
  }

  @Override
  public void encodeBucket(int bucket, KeyBytes out) {
    out.number(bucket, width());
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    encodeBucket(KeyHash.bucket(parts.hash(input, out), buckets), out);
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    return check(row, from, to);
  }

  /** Like {@link #skip}, and verifies that the salt matches the row. */
  int check(byte[] row, int from, int to) {
    int next = skip(row, from, to);
    CoveredParts.check(
        label, from, bucketAt(row, from), KeyHash.bucket(parts.hash(row, next, to), buckets));
    return next;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    if (to - from < width() || bucketAt(row, from) >= buckets) {
      throw new DamagedCellException(
          "row key, byte %d: not a salt of %d buckets".formatted(from, buckets));
    }
    return from + width();
  }

  private long bucketAt(byte[] row, int from) {
    return OrderedNumber.unsigned(row, from, width());
  }

  @Override
  public String show(byte[] row, int from, int to) {
    return bucketAt(row, from) + " of " + buckets;
  }

  @Override
  public String toString() {
    return label;
  }
}
