package dev.varve.layout.kairosdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;

/**
 * Converts between UTF-8 and modified UTF-8, the form that Java's {@code DataOutput.writeUTF}
 * writes and in which KairosDB stores texts. Modified UTF-8 encodes NUL as {@code c0 80} and
 * characters above U+FFFF as a pair of surrogates of three bytes each.
 *
 * <p>Reading is strict: non-canonical sequences are errors, so that every text has exactly one
 * encoding.
 */
final class Utf8 {
  private Utf8() {}

  /** Returns the index of the first byte that is not valid UTF-8, or -1. */
  static int malformedAt(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to) {
      if (bytes[at] >= 0) {
        at++;
        continue;
      }
      int length = sequenceLength(bytes, at, to);
      if (length == 0) {
        return at;
      }
      at += length;
    }
    return -1;
  }

  /**
   * Returns the length in bytes, 2 to 4, of the non-ASCII character at {@code at}; 0 if the
   * sequence is not valid UTF-8 (RFC 3629, section 4).
   */
  private static int sequenceLength(byte[] bytes, int at, int to) {
    int lead = bytes[at] & 0xff;
    if (lead >= 0xc2 && lead <= 0xdf) {
      return continues(bytes, at + 1, to, 1) ? 2 : 0;
    }
    if (lead >= 0xe0 && lead <= 0xef) {
      if (!continues(bytes, at + 1, to, 2)) {
        return 0;
      }
      int second = bytes[at + 1] & 0xff;
      boolean overlong = lead == 0xe0 && second < 0xa0;
      boolean surrogate = lead == 0xed && second >= 0xa0;
      return overlong || surrogate ? 0 : 3;
    }
    if (lead >= 0xf0 && lead <= 0xf4) {
      if (!continues(bytes, at + 1, to, 3)) {
        return 0;
      }
      int second = bytes[at + 1] & 0xff;
      boolean overlong = lead == 0xf0 && second < 0x90;
      boolean beyond = lead == 0xf4 && second >= 0x90;
      return overlong || beyond ? 0 : 4;
    }
    return 0;
  }

  private static boolean continues(byte[] bytes, int at, int to, int count) {
    if (to - at < count) {
      return false;
    }
    for (int i = at; i < at + count; i++) {
      if ((bytes[i] & 0xc0) != 0x80) {
        return false;
      }
    }
    return true;
  }

  /**
   * Appends a UTF-8 text as modified UTF-8.
   *
   * @return the index of the first byte that is not valid UTF-8, or -1
   */
  static int toModified(byte[] utf8, int from, int to, KeyBytes out) {
    int copied = from;
    int at = from;
    while (at < to) {
      if (utf8[at] > 0) {
        at++;
        continue;
      }
      int length = utf8[at] == 0 ? 1 : sequenceLength(utf8, at, to);
      if (length == 0) {
        return at;
      }
      if (length == 1) {
        out.raw(utf8, copied, at - copied).u8(0xc0).u8(0x80);
        copied = at + 1;
      } else if (length == 4) {
        out.raw(utf8, copied, at - copied);
        int codePoint =
            ((utf8[at] & 0x07) << 18)
                | ((utf8[at + 1] & 0x3f) << 12)
                | ((utf8[at + 2] & 0x3f) << 6)
                | (utf8[at + 3] & 0x3f);
        unit(Character.highSurrogate(codePoint), out);
        unit(Character.lowSurrogate(codePoint), out);
        copied = at + 4;
      }
      at += length;
    }
    out.raw(utf8, copied, to - copied);
    return -1;
  }

  private static void unit(char unit, KeyBytes out) {
    out.u8(0xe0 | (unit >> 12)).u8(0x80 | ((unit >> 6) & 0x3f)).u8(0x80 | (unit & 0x3f));
  }

  /** Returns whether a text in modified UTF-8 has the same bytes in UTF-8. */
  static boolean sameInBoth(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to) {
      if (bytes[at] > 0) {
        at++;
        continue;
      }
      int length = bytes[at] == 0 ? 0 : sequenceLength(bytes, at, to);
      if (length != 2 && length != 3) {
        return false;
      }
      at += length;
    }
    return true;
  }

  /**
   * Appends a text in modified UTF-8 as UTF-8.
   *
   * @throws DamagedCellException if the bytes are not modified UTF-8 or contain an unpaired
   *     surrogate, which UTF-8 cannot encode
   */
  static void fromModified(byte[] bytes, int from, int to, KeyBytes out) {
    int at = from;
    while (at < to) {
      if (bytes[at] > 0) {
        out.u8(bytes[at++]);
      } else if (bytes[at] == (byte) 0xc0 && at + 1 < to && bytes[at + 1] == (byte) 0x80) {
        out.u8(0);
        at += 2;
      } else if (isSurrogate(bytes, at, to, 0xa0) && isSurrogate(bytes, at + 3, to, 0xb0)) {
        int codePoint =
            0x10000
                + (((bytes[at + 1] & 0x0f) << 16)
                    | ((bytes[at + 2] & 0x3f) << 10)
                    | ((bytes[at + 4] & 0x0f) << 6)
                    | (bytes[at + 5] & 0x3f));
        out.u8(0xf0 | (codePoint >> 18))
            .u8(0x80 | ((codePoint >> 12) & 0x3f))
            .u8(0x80 | ((codePoint >> 6) & 0x3f))
            .u8(0x80 | (codePoint & 0x3f));
        at += 6;
      } else {
        int length = bytes[at] == 0 ? 0 : sequenceLength(bytes, at, to);
        if (length != 2 && length != 3) {
          throw new DamagedCellException(
              "value: byte %d, %02x, is not modified UTF-8".formatted(at - from, bytes[at]));
        }
        out.raw(bytes, at, length);
        at += length;
      }
    }
  }

  /**
   * Returns whether an encoded surrogate starts here.
   *
   * @param half the high nibble of its second byte: {@code a0} for a high surrogate, {@code b0} for
   *     a low one
   */
  private static boolean isSurrogate(byte[] bytes, int at, int to, int half) {
    return to - at >= 3
        && bytes[at] == (byte) 0xed
        && (bytes[at + 1] & 0xf0) == half
        && (bytes[at + 2] & 0xc0) == 0x80;
  }
}
