package dev.varve.layout.declared;

import dev.varve.layout.KeyBytes;
import dev.varve.model.Column;
import java.util.Arrays;

/**
 * All fields of an event in one value; {@code codec.packed} = 1.
 *
 * <pre>
 * Packed  := version u8                    // 1
 *            Entry*
 * Entry   := length varint, name           // UTF-8; names rise byte by byte, each once
 *            length varint, Value          // ValueCodec
 * varint  := 7 bits a byte, lowest first, the high bit set where another follows; up to 5 bytes
 * </pre>
 *
 * A reader refuses a version that it does not know. Within a version it skips fields whose values
 * are of a kind to come ({@link ValueCodec#isReserved}): each says how long it is.
 */
final class PackedCodec {
  static final int VERSION = 1;

  private PackedCodec() {}

  static void start(KeyBytes out) {
    out.u8(VERSION);
  }

  /** Appends one field; {@code name} in UTF-8, greater than the one before. */
  static void append(byte[] name, Column column, int place, KeyBytes out) {
    varint(name.length, out);
    out.raw(name);
    int lengthAt = out.length();
    out.u8(0);
    switch (column) {
      case Column.Doubles doubles -> ValueCodec.append(doubles.values()[place], out);
      case Column.Longs longs -> ValueCodec.append(longs.values()[place], out);
      case Column.Texts texts -> {
        int length = texts.end(place) - texts.start(place);
        out.truncate(lengthAt);
        varint(1 + length, out);
        ValueCodec.appendText(texts.bytes(), texts.start(place), texts.end(place), out);
        return;
      }
    }
    // Numbers take nine bytes at most: their length fits the byte that was left for it.
    out.array()[lengthAt] = (byte) (out.length() - lengthAt - 1);
  }

  static void varint(int value, KeyBytes out) {
    int rest = value;
    while (rest >= 0x80) {
      out.u8((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.u8(rest);
  }

  /** The number at {@code at}, or -1 where there is none in its shortest form. */
  static int varintAt(byte[] bytes, int at, int to) {
    long value = 0;
    for (int i = 0; i < 5 && at + i < to; i++) {
      value |= (long) (bytes[at + i] & 0x7f) << (7 * i);
      if (bytes[at + i] >= 0) {
        boolean shortest = i == 0 || bytes[at + i] != 0;
        return shortest && value <= Integer.MAX_VALUE ? (int) value : -1;
      }
    }
    return -1;
  }

  static int varintLength(int value) {
    return Math.max(1, (31 - Integer.numberOfLeadingZeros(value | 1)) / 7 + 1);
  }

  /** Whether one name is less than another, byte by byte. */
  static boolean rises(byte[] bytes, int from, int to, int nextFrom, int nextTo) {
    return Arrays.compareUnsigned(bytes, from, to, bytes, nextFrom, nextTo) < 0;
  }
}
