package dev.varve.server.protobuf;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes messages of Protocol Buffers, for tests. */
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
    return bytes(field, message.toBytes());
  }

  public WireWriter bytes(int field, byte[] bytes) {
    raw(((long) field << 3) | 2);
    raw(bytes.length);
    out.writeBytes(bytes);
    return this;
  }

  private void raw(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  public byte[] toBytes() {
    return out.toByteArray();
  }
}
