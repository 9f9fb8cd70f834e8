package dev.varve.layout.declared;

import dev.varve.layout.KeyBytes;
import dev.varve.model.Column;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

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
 * A reader rejects unknown versions. Within a version it skips fields whose values are of a
 * reserved kind ({@link ValueCodec#isReserved}), because every field states its length.
 */
final class PackedCodec {
  static final int VERSION = 1;

  private PackedCodec() {}

  static void start(KeyBytes out) {
    out.u8(VERSION);
  }

  /** Appends one field; {@code name} is UTF-8 and greater than the preceding one. */
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
    // Numbers take at most nine bytes, so their length fits the one byte reserved for it.
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

  /** Decodes the number at {@code at}; -1 if there is none in its shortest form. */
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

  /** Returns where the name of the field at {@code at} starts. */
  static int nameFrom(byte[] bytes, int at, int to) {
    return at + varintLength(varintAt(bytes, at, to));
  }

  static int nameTo(byte[] bytes, int at, int to) {
    return nameFrom(bytes, at, to) + varintAt(bytes, at, to);
  }

  /** Returns where the value of the field whose name ends at {@code nameTo} starts. */
  static int valueFrom(byte[] bytes, int nameTo, int to) {
    return nameTo + varintLength(varintAt(bytes, nameTo, to));
  }

  /** Returns where the value ends and the next field starts. */
  static int valueTo(byte[] bytes, int nameTo, int to) {
    return valueFrom(bytes, nameTo, to) + varintAt(bytes, nameTo, to);
  }

  /** Returns why bytes are not valid packed fields, or null. */
  static @Nullable String fault(byte[] bytes, int from, int to) {
    if (from == to) {
      return "value: empty, expected packed fields";
    }
    if (bytes[from] != VERSION) {
      return "value: packed fields of version %d, expected version %d"
          .formatted(bytes[from], VERSION);
    }
    if (from + 1 == to) {
      return "value: no fields";
    }
    int before = -1;
    boolean known = false;
    for (int at = from + 1; at < to; ) {
      String fault = faultOfField(bytes, from, at, to);
      if (fault != null) {
        return fault;
      }
      if (before >= 0 && !rises(bytes, before, at, to)) {
        return "value, byte %d: field names are out of order"
            .formatted(nameFrom(bytes, at, to) - from);
      }
      int nameTo = nameTo(bytes, at, to);
      before = at;
      at = valueTo(bytes, nameTo, to);
      known |= !ValueCodec.isReserved(bytes, valueFrom(bytes, nameTo, to), at);
    }
    return known ? null : "value: no field of a known kind";
  }

  private static @Nullable String faultOfField(byte[] bytes, int from, int at, int to) {
    int name = varintAt(bytes, at, to);
    int nameFrom = name < 0 ? to : at + varintLength(name);
    if (name < 0 || name > to - nameFrom || !Utf8.valid(bytes, nameFrom, nameFrom + name)) {
      return "value, byte %d: not a field name".formatted(at - from);
    }
    int nameTo = nameFrom + name;
    int value = varintAt(bytes, nameTo, to);
    int valueFrom = value < 0 ? to : nameTo + varintLength(value);
    if (value < 1 || value > to - valueFrom) {
      return "value, byte %d: a field without a value".formatted(nameTo - from);
    }
    boolean known = ValueCodec.kind(bytes, valueFrom, valueFrom + value) != null;
    return known || ValueCodec.isReserved(bytes, valueFrom, valueFrom + value)
        ? null
        : "value, byte %d: neither a number nor a text".formatted(valueFrom - from);
  }

  private static boolean rises(byte[] bytes, int before, int at, int to) {
    return Arrays.compareUnsigned(
            bytes,
            nameFrom(bytes, before, to),
            nameTo(bytes, before, to),
            bytes,
            nameFrom(bytes, at, to),
            nameTo(bytes, at, to))
        < 0;
  }
}
