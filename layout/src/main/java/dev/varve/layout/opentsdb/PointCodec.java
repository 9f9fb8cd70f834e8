package dev.varve.layout.opentsdb;

import dev.varve.layout.DamagedCellException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The encoding of one point: a qualifier of two or four bytes and a number of one to eight bytes. A
 * cell holds one or many points.
 *
 * <pre>
 *  seconds, 2 bytes        milliseconds, 4 bytes
 * +--------------+-------+ +------+--------------------+----+-------+
 * | seconds : 12 | flags | | 1111 | milliseconds : 22  | 00 | flags |
 * +--------------+-------+ +------+--------------------+----+-------+
 *
 *  flags, 4 bits: 8 = float, else integer; the other three bits are the length of the number - 1
 * </pre>
 *
 * <p>Times are offsets from the base time of the row. The bits 1111 distinguish the two forms,
 * because no second of an hour starts with them. Integers are two's complement in 1, 2, 4 or 8
 * bytes, floats IEEE 754 in 4 or 8 bytes, all big-endian.
 */
final class PointCodec {
  static final int FLOAT = 0x8;
  static final int QUALIFIER_MAX = 4;
  static final int VALUE_MAX = 8;

  private static final int LENGTH_BITS = 0x7;
  private static final int MILLIS_MARK = 0xf000_0000;
  private static final int MILLIS_UNUSED = 0x30;

  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private PointCodec() {}

  /**
   * Writes the qualifier of a point.
   *
   * @param offset milliseconds after the base time
   * @return the length of the qualifier in bytes
   */
  static int putQualifier(byte[] target, int at, int offset, boolean millis, int flags) {
    if (millis) {
      putInt(target, at, MILLIS_MARK | (offset << 6) | flags);
      return 4;
    }
    SHORT.set(target, at, (short) (((offset / 1000) << 4) | flags));
    return 2;
  }

  /** Returns the flags of an integer, with the smallest length that holds it. */
  static int flags(long value) {
    if (value == (byte) value) {
      return 0;
    }
    if (value == (short) value) {
      return 1;
    }
    return value == (int) value ? 3 : 7;
  }

  /** Returns whether a double can be converted to a float without loss. */
  static boolean fitsFloat(double value) {
    return (float) value == value;
  }

  /** Writes the lowest bytes of a number; the flags say how many. */
  static void putNumber(byte[] target, int at, long bits, int flags) {
    switch (flags & LENGTH_BITS) {
      case 0 -> target[at] = (byte) bits;
      case 1 -> SHORT.set(target, at, (short) bits);
      case 3 -> INT.set(target, at, (int) bits);
      default -> LONG.set(target, at, bits);
    }
  }

  /** Returns whether a qualifier that starts with this byte has four bytes. */
  static boolean millis(byte first) {
    return (first & 0xf0) == 0xf0;
  }

  /**
   * Returns the length in bytes of the qualifier at {@code at}.
   *
   * @throws DamagedCellException if the qualifier extends beyond {@code end}
   */
  static int qualifierLength(byte[] bytes, int at, int end) {
    int length = at < end && millis(bytes[at]) ? 4 : 2;
    if (end - at < length) {
      throw new DamagedCellException(
          "point: its qualifier takes %d bytes, %d are left".formatted(length, end - at));
    }
    return length;
  }

  /**
   * Returns the milliseconds after the base time in a complete qualifier.
   *
   * @throws DamagedCellException if the offset is not within an hour or unused bits are set
   */
  static int offset(byte[] bytes, int at) {
    int offset;
    if (millis(bytes[at])) {
      int word = getInt(bytes, at);
      if ((word & MILLIS_UNUSED) != 0) {
        throw new DamagedCellException(
            "qualifier %08X: bits 4 and 5 are set, which have no meaning".formatted(word));
      }
      offset = (word & ~MILLIS_MARK) >>> 6;
    } else {
      offset = 1000 * (Short.toUnsignedInt((short) SHORT.get(bytes, at)) >>> 4);
    }
    if (offset >= RowKeys.HOUR_MILLIS) {
      throw new DamagedCellException(
          "qualifier: offset of %d ms, a row holds %d".formatted(offset, RowKeys.HOUR_MILLIS));
    }
    return offset;
  }

  /** Returns the flags of a complete qualifier. */
  static int flags(byte[] bytes, int at) {
    return bytes[at + (millis(bytes[at]) ? 3 : 1)] & 0xf;
  }

  static int valueLength(int flags) {
    return (flags & LENGTH_BITS) + 1;
  }

  /**
   * Returns the length in bytes of the number that flags describe.
   *
   * @throws DamagedCellException if no number has such flags
   */
  static int checkedLength(int flags) {
    int length = valueLength(flags);
    boolean known =
        (flags & FLOAT) == 0
            ? length == 1 || length == 2 || length == 4 || length == 8
            : length == 4 || length == 8;
    if (!known) {
      throw new DamagedCellException(
          (flags & FLOAT) == 0
              ? "integer on %d bytes, it takes 1, 2, 4 or 8".formatted(length)
              : "float on %d bytes, it takes 4 or 8".formatted(length));
    }
    return length;
  }

  static long integer(byte[] bytes, int at, int length) {
    return switch (length) {
      case 1 -> bytes[at];
      case 2 -> (short) SHORT.get(bytes, at);
      case 4 -> getInt(bytes, at);
      default -> (long) LONG.get(bytes, at);
    };
  }

  static double real(byte[] bytes, int at, int length) {
    return length == 4
        ? Float.intBitsToFloat(getInt(bytes, at))
        : Double.longBitsToDouble((long) LONG.get(bytes, at));
  }

  /**
   * Returns flags with the length of the value, for a point in a cell of its own with a qualifier
   * of two bytes. Old servers wrote wrong lengths there, so the length of the value wins, except
   * for values that {@link #paddedFloat} recognises.
   */
  static int mended(int flags, int length) {
    if (length < 1 || length > VALUE_MAX) {
      throw new DamagedCellException(
          "value: %d bytes, a number takes 1 to %d".formatted(length, VALUE_MAX));
    }
    return (flags & FLOAT) | (length - 1);
  }

  /**
   * Returns whether a value has eight bytes although its flags describe a float of four. Old
   * servers wrote such values, with four zero bytes before the float.
   *
   * @throws DamagedCellException if the first four of the eight bytes are not zero
   */
  static boolean paddedFloat(int flags, byte[] bytes, int at, int length) {
    if (flags != (FLOAT | 3) || length != 8) {
      return false;
    }
    if (getInt(bytes, at) != 0) {
      throw new DamagedCellException(
          "value: a float on 8 bytes under the flags of 4 begins with %08X, not with zeros"
              .formatted(getInt(bytes, at)));
    }
    return true;
  }

  static int getInt(byte[] bytes, int at) {
    return (int) INT.get(bytes, at);
  }

  static void putInt(byte[] bytes, int at, int value) {
    INT.set(bytes, at, value);
  }
}
