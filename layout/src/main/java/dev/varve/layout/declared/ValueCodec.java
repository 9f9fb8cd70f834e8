package dev.varve.layout.declared;

import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import dev.varve.model.Kind;
import dev.varve.model.Value;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A self-describing value; {@code codec.value} = 1.
 *
 * <pre>
 * Value := 1n byte{n}    // int64: two's complement, big-endian, in as few bytes as possible; 0 to 8
 *        | 2n byte{n}    // double: the bits of IEEE 754, big-endian, without trailing 00; 0 to 8
 *        | 30 byte*      // text: UTF-8 up to the end
 *        | 40 byte*      // raw bytes up to the end; attributes only
 * </pre>
 *
 * The first byte contains the kind in its high half and the length in its low half. Every value has
 * exactly one form; longer forms and all other first bytes are rejected. First bytes from {@code
 * 80} on are reserved for future kinds, which {@link PackedCodec} skips.
 */
final class ValueCodec {
  static final int VERSION = 1;

  private static final int INT64 = 0x10;
  private static final int DOUBLE = 0x20;
  private static final int TEXT = 0x30;
  private static final int RAW = 0x40;
  private static final int RESERVED = 0x80;

  private ValueCodec() {}

  static void append(long value, KeyBytes out) {
    int length = length(value);
    out.u8(INT64 | length).number(value, length);
  }

  static void append(double value, KeyBytes out) {
    long bits = Double.doubleToRawLongBits(value);
    int length = bits == 0 ? 0 : 8 - Long.numberOfTrailingZeros(bits) / 8;
    out.u8(DOUBLE | length).number(bits >>> (8 * (8 - length) % 64), length);
  }

  static void appendText(byte[] utf8, int from, int to, KeyBytes out) {
    out.u8(TEXT).raw(utf8, from, to - from);
  }

  static void append(Value value, KeyBytes out) {
    switch (value) {
      case Value.Int64 v -> append(v.value(), out);
      case Value.Real v -> append(v.value(), out);
      case Value.Text v -> {
        out.u8(TEXT);
        Utf8.append(v.value(), out);
      }
      case Value.Raw v -> out.u8(RAW).raw(v.value());
    }
  }

  /** Returns how many bytes hold a number in two's complement; 0 for 0. */
  private static int length(long value) {
    long magnitude = value < 0 ? ~value : value;
    return value == 0 ? 0 : (64 - Long.numberOfLeadingZeros(magnitude)) / 8 + 1;
  }

  /**
   * Returns how many bytes the number at {@code from} takes according to its first byte; -1 for
   * anything else.
   */
  static int numberLength(byte[] bytes, int from) {
    int tag = bytes[from] & 0xff;
    return tag >= INT64 && tag <= DOUBLE + 8 && (tag & 0xf) <= 8 ? 1 + (tag & 0xf) : -1;
  }

  static boolean isText(byte[] bytes, int from, int to) {
    return from < to && bytes[from] == TEXT;
  }

  static boolean isRaw(byte[] bytes, int from, int to) {
    return from < to && bytes[from] == RAW;
  }

  /** Returns whether a value starts with a byte reserved for later codecs. */
  static boolean isReserved(byte[] bytes, int from, int to) {
    return from < to && (bytes[from] & RESERVED) != 0;
  }

  /**
   * Returns the kind of the sample that fills the bytes exactly; null if they are not a sample in
   * its only form.
   */
  static @Nullable Kind kind(byte[] bytes, int from, int to) {
    if (from >= to) {
      return null;
    }
    if (bytes[from] == TEXT) {
      return Utf8.valid(bytes, from + 1, to) ? Kind.STRING : null;
    }
    if (numberLength(bytes, from) != to - from) {
      return null;
    }
    if ((bytes[from] & 0xf0) == INT64) {
      return length(readLong(bytes, from, to)) == to - from - 1 ? Kind.INT64 : null;
    }
    return to - from == 1 || bytes[to - 1] != 0 ? Kind.DOUBLE : null;
  }

  /** Returns whether {@link #kind} identifies the bytes as a double. */
  static boolean isDouble(byte[] bytes, int from, int to) {
    int length = to - from;
    return length > 0
        && length <= 9
        && bytes[from] == (DOUBLE | (length - 1))
        && (length == 1 || bytes[to - 1] != 0);
  }

  /** Decodes bytes that {@link #kind} identifies as an int64. */
  static long readLong(byte[] bytes, int from, int to) {
    if (to - from == 1) {
      return 0;
    }
    long value = bytes[from + 1];
    for (int i = from + 2; i < to; i++) {
      value = (value << 8) | (bytes[i] & 0xff);
    }
    return value;
  }

  /** Decodes bytes that {@link #kind} identifies as a double. */
  static double readDouble(byte[] bytes, int from, int to) {
    int length = to - from - 1;
    long bits = OrderedNumber.unsigned(bytes, from + 1, length);
    return Double.longBitsToDouble(length == 0 ? 0 : bits << (8 * (8 - length)));
  }

  /** Decodes the value that fills the bytes exactly; null if there is none. */
  static @Nullable Value read(byte[] bytes, int from, int to) {
    if (isRaw(bytes, from, to)) {
      return new Value.Raw(Bytes.copyOf(bytes, from + 1, to - from - 1));
    }
    Kind kind = kind(bytes, from, to);
    if (kind == null) {
      return null;
    }
    return switch (kind) {
      case INT64 -> new Value.Int64(readLong(bytes, from, to));
      case DOUBLE -> new Value.Real(readDouble(bytes, from, to));
      case STRING ->
          new Value.Text(new String(bytes, from + 1, to - from - 1, StandardCharsets.UTF_8));
    };
  }

  /** Formats a value for people. */
  static String show(Value value) {
    return switch (value) {
      case Value.Int64 v -> Long.toString(v.value());
      case Value.Real v -> Double.toString(v.value());
      case Value.Text v -> "'" + v.value() + "'";
      case Value.Raw v -> "bytes " + v.value().hex();
    };
  }
}
