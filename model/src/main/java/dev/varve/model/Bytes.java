package dev.varve.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * An immutable byte string, ordered as every store orders keys: lexicographically by unsigned
 * bytes, so a prefix sorts before its extensions.
 */
public final class Bytes implements Comparable<Bytes> {
  public static final Bytes EMPTY = new Bytes(new byte[0]);

  private static final HexFormat HEX = HexFormat.of();

  private final byte[] bytes;

  private Bytes(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Copies {@code bytes}. */
  public static Bytes of(byte... bytes) {
    return bytes.length == 0 ? EMPTY : new Bytes(bytes.clone());
  }

  /** Copies {@code length} bytes starting at {@code offset}. */
  public static Bytes copyOf(byte[] bytes, int offset, int length) {
    return length == 0 ? EMPTY : new Bytes(Arrays.copyOfRange(bytes, offset, offset + length));
  }

  public static Bytes utf8(String text) {
    return new Bytes(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Parses hexadecimal digits of either case, without separators.
   *
   * @throws IllegalArgumentException if a character is not a hexadecimal digit or the number of
   *     digits is odd
   */
  public static Bytes fromHex(String hex) {
    return new Bytes(HEX.parseHex(hex));
  }

  public int length() {
    return bytes.length;
  }

  public boolean isEmpty() {
    return bytes.length == 0;
  }

  public byte at(int index) {
    return bytes[index];
  }

  /** Returns a copy that the caller owns. */
  public byte[] toArray() {
    return bytes.clone();
  }

  public void copyTo(byte[] target, int offset) {
    System.arraycopy(bytes, 0, target, offset, bytes.length);
  }

  public Bytes slice(int from, int to) {
    return copyOf(bytes, from, to - from);
  }

  public Bytes concat(Bytes other) {
    byte[] joined = Arrays.copyOf(bytes, bytes.length + other.bytes.length);
    System.arraycopy(other.bytes, 0, joined, bytes.length, other.bytes.length);
    return new Bytes(joined);
  }

  public boolean startsWith(Bytes prefix) {
    return bytes.length >= prefix.bytes.length
        && Arrays.equals(bytes, 0, prefix.bytes.length, prefix.bytes, 0, prefix.bytes.length);
  }

  /** Returns the smallest string greater than this one: this string followed by a zero byte. */
  public Bytes successor() {
    return new Bytes(Arrays.copyOf(bytes, bytes.length + 1));
  }

  /**
   * Returns the smallest string greater than every string with this prefix, found by incrementing
   * with carry; null if there is none (this string is empty or consists of {@code ff} only).
   */
  public @Nullable Bytes prefixEnd() {
    int last = bytes.length - 1;
    while (last >= 0 && bytes[last] == (byte) 0xff) {
      last--;
    }
    if (last < 0) {
      return null;
    }
    byte[] end = Arrays.copyOf(bytes, last + 1);
    end[last]++;
    return new Bytes(end);
  }

  /** Compares this string with a range of an array, without copying. */
  public int compareTo(byte[] other, int offset, int length) {
    return Arrays.compareUnsigned(bytes, 0, bytes.length, other, offset, offset + length);
  }

  public boolean contentEquals(byte[] other, int offset, int length) {
    return Arrays.equals(bytes, 0, bytes.length, other, offset, offset + length);
  }

  @Override
  public int compareTo(Bytes other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Bytes that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  public String hex() {
    return HEX.formatHex(bytes);
  }

  public String toUtf8() {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Returns lower-case hexadecimal digits. */
  @Override
  public String toString() {
    return hex();
  }
}
