package dev.varve.layout;

import dev.varve.model.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A growing, reusable buffer for encoding keys, qualifiers and values. Numbers are big-endian; a
 * number that is too large is truncated to its lowest bytes. For one thread.
 */
public final class KeyBytes {
  private byte[] bytes = new byte[128];
  private int length;

  /** Returns the buffer, valid until the next append. Bytes after the length are arbitrary. */
  public byte[] array() {
    return bytes;
  }

  public int length() {
    return length;
  }

  /** Truncates the buffer to its first {@code to} bytes, at most its length. */
  public void truncate(int to) {
    length = to;
  }

  public void clear() {
    length = 0;
  }

  public KeyBytes u8(int value) {
    reserve(1);
    bytes[length++] = (byte) value;
    return this;
  }

  public KeyBytes u16(int value) {
    return number(value, 2);
  }

  public KeyBytes u32(long value) {
    return number(value, 4);
  }

  public KeyBytes i64(long value) {
    return number(value, 8);
  }

  /** Appends the lowest {@code width} bytes of a number, 0 to 8. */
  public KeyBytes number(long value, int width) {
    reserve(width);
    for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
      bytes[length++] = (byte) (value >>> shift);
    }
    return this;
  }

  public KeyBytes raw(byte[] source, int from, int count) {
    reserve(count);
    System.arraycopy(source, from, bytes, length, count);
    length += count;
    return this;
  }

  public KeyBytes raw(byte[] source) {
    return raw(source, 0, source.length);
  }

  public KeyBytes raw(Bytes source) {
    reserve(source.length());
    source.copyTo(bytes, length);
    length += source.length();
    return this;
  }

  /** Appends a text in UTF-8 without length or terminator. */
  public KeyBytes utf8(String text) {
    return raw(text.getBytes(StandardCharsets.UTF_8));
  }

  public Bytes toBytes() {
    return Bytes.copyOf(bytes, 0, length);
  }

  private void reserve(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
    }
  }
}
