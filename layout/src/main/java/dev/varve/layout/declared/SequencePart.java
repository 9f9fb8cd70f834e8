package dev.varve.layout.declared;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.model.Resolution;

/**
 * The acceptance stamp.
 *
 * <pre>
 * Sequence := stamp i64     // microseconds since 1970, big-endian, sign bit flipped
 * </pre>
 */
final class SequencePart implements KeyPart {
  @Override
  public String label() {
    return "sequence";
  }

  @Override
  public Role role() {
    return Role.SEQUENCE;
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    OrderedNumber.append(input.stamp(), false, out);
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    int next = skip(row, from, to);
    out.stamp(OrderedNumber.read(row, from, false));
    return next;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    if (to - from < OrderedNumber.LENGTH) {
      throw new DamagedCellException(
          "row key, byte %d: sequence takes 8 bytes, %d are left".formatted(from, to - from));
    }
    return from + OrderedNumber.LENGTH;
  }

  @Override
  public String show(byte[] row, int from, int to) {
    return Instants.show(OrderedNumber.read(row, from, false), Resolution.MICROSECONDS);
  }

  @Override
  public String toString() {
    return "sequence";
  }
}
