package dev.varve.formats.protobuf;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes a message of <a href="https://protobuf.dev/programming-guides/encoding/">Protocol
 * Buffers</a>, field by field in the order of the calls.
 */
public final class WireWriter {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  public WireWriter varint(int field, long value) {
    raw((long) field << 3);
    raw(value);
    return this;
  }

  public WireWriter real(int field, double value) {
    raw(((long) field << 3) | 1);
    long bits = Double.doubleToRawLongBits(value);
    for (int i = 0; i < 8; i++) {
      out.write((int) (bits >>> (8 * i)));
    }
    return this;
  }

  public WireWriter text(int field, String text) {
    return bytes(field, text.getBytes(StandardCharsets.UTF_8));
  }

  public WireWriter message(int field, WireWriter message) {
    return head(field, message.size()).append(message);
  }

  public WireWriter bytes(int field, byte[] bytes) {
    head(field, bytes.length);
    out.writeBytes(bytes);
    return this;
  }

  /**
   * Begins a nested message, whose fields are written next.
   *
   * @param length their length in bytes
   */
  public WireWriter head(int field, int length) {
    raw(((long) field << 3) | 2);
    raw(length);
    return this;
  }

  /** Appends the fields of another message. */
  public WireWriter append(WireWriter fields) {
    out.writeBytes(fields.toBytes());
    return this;
  }

  /** Returns the length of an integer in bytes, without its field number. */
  public static int varintSize(long value) {
    return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }

  private void raw(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  /** Returns the number of written bytes. */
  public int size() {
    return out.size();
  }

  public byte[] toBytes() {
    return out.toByteArray();
  }
}
