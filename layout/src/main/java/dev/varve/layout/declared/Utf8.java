package dev.varve.layout.declared;

import dev.varve.layout.KeyBytes;

/** Writes and checks UTF-8 without allocating. */
final class Utf8 {
  private Utf8() {}

  /** Returns the index of the first unpaired surrogate, which UTF-8 cannot encode, or -1. */
  static int unpaired(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        boolean pair =
            Character.isHighSurrogate(c)
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
        if (!pair) {
          return i;
        }
        i++;
      }
    }
    return -1;
  }

  /** Appends one code point. */
  static void append(int codePoint, KeyBytes out) {
    if (codePoint < 0x80) {
      out.u8(codePoint);
    } else if (codePoint < 0x800) {
      out.u8(0xc0 | (codePoint >>> 6)).u8(0x80 | (codePoint & 0x3f));
    } else if (codePoint < 0x10000) {
      out.u8(0xe0 | (codePoint >>> 12))
          .u8(0x80 | ((codePoint >>> 6) & 0x3f))
          .u8(0x80 | (codePoint & 0x3f));
    } else {
      out.u8(0xf0 | (codePoint >>> 18))
          .u8(0x80 | ((codePoint >>> 12) & 0x3f))
          .u8(0x80 | ((codePoint >>> 6) & 0x3f))
          .u8(0x80 | (codePoint & 0x3f));
    }
  }

  /** Appends a text without unpaired surrogates. */
  static void append(String text, KeyBytes out) {
    for (int i = 0; i < text.length(); ) {
      int codePoint = text.codePointAt(i);
      append(codePoint, out);
      i += Character.charCount(codePoint);
    }
  }

  /**
   * Returns whether the bytes are well-formed UTF-8 (RFC 3629), without overlong forms or
   * surrogates.
   */
  static boolean valid(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to) {
      int first = bytes[at] & 0xff;
      int length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
      if (length == 0 || first > 0xf4 || at + length > to) {
        return false;
      }
      if (length > 1 && !continued(bytes, at, first, length)) {
        return false;
      }
      at += length;
    }
    return true;
  }

  private static boolean continued(byte[] bytes, int at, int first, int length) {
    int second = bytes[at + 1] & 0xff;
    int low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    int high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (second < low || second > high) {
      return false;
    }
    for (int i = 2; i < length; i++) {
      if ((bytes[at + i] & 0xc0) != 0x80) {
        return false;
      }
    }
    return true;
  }
}
