package dev.varve.layout.declared;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.model.Bytes;

/** A constant: the UTF-8 bytes of a text, without length or terminator. */
final class LiteralPart implements KeyPart {
  private final String text;
  private final Bytes bytes;

  LiteralPart(KeyElement.Literal element) {
    this.text = element.bytes();
    this.bytes = Bytes.utf8(text);
  }

  @Override
  public String label() {
    return "literal";
  }

  @Override
  public Role role() {
    return Role.LITERAL;
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    out.raw(bytes);
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    return skip(row, from, to);
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    int next = from + bytes.length();
    if (next > to || !bytes.contentEquals(row, from, bytes.length())) {
      throw new DamagedCellException(
          "row key, byte %d: expected the literal '%s'".formatted(from, text));
    }
    return next;
  }

  @Override
  public String show(byte[] row, int from, int to) {
    return text;
  }

  @Override
  public String toString() {
    return "literal '" + text + "'";
  }
}
