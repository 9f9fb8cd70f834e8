package dev.varve.server.text;

import java.nio.charset.StandardCharsets;

/** What the text formats share: finding bytes, and reading numbers and texts from them. */
final class Scan {
  private Scan() {}

  /** The place of the first such byte, or {@code to}. */
  static int find(byte[] bytes, int from, int to, char wanted) {
    int at = from;
    while (at < to && bytes[at] != wanted) {
      at++;
    }
    return at;
  }

  static int skipBlanks(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r')) {
      at++;
    }
    return at;
  }

  /** The end of the word that starts at {@code from}. */
  static int wordEnd(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && bytes[at] != ' ' && bytes[at] != '\t' && bytes[at] != '\r') {
      at++;
    }
    return at;
  }

  static String utf8(byte[] bytes, int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }

  /** Whether the bytes are a sign and digits, at least one. */
  static boolean isInteger(byte[] bytes, int from, int to) {
    int at = from < to && (bytes[from] == '-' || bytes[from] == '+') ? from + 1 : from;
    if (at == to) {
      return false;
    }
    for (; at < to; at++) {
      if (bytes[at] < '0' || bytes[at] > '9') {
        return false;
      }
    }
    return true;
  }

  /**
   * Reads a decimal int64.
   *
   * @throws BadLineException if it is none, or too large
   */
  static long integer(byte[] bytes, int from, int to, String what) {
    boolean negative = from < to && bytes[from] == '-';
    int at = negative || (from < to && bytes[from] == '+') ? from + 1 : from;
    if (at == to || to - at > 19) {
      throw new BadLineException(
          what + " '" + utf8(bytes, from, to) + "' is not an integer of 64 bits");
    }
    long value = 0;
    for (; at < to; at++) {
      int digit = bytes[at] - '0';
      long next = 10 * value - digit;
      if (digit < 0 || digit > 9 || next > value || value < Long.MIN_VALUE / 10) {
        throw new BadLineException(
            what + " '" + utf8(bytes, from, to) + "' is not an integer of 64 bits");
      }
      value = next;
    }
    if (!negative && value == Long.MIN_VALUE) {
      throw new BadLineException(
          what + " '" + utf8(bytes, from, to) + "' is not an integer of 64 bits");
    }
    return negative ? value : -value;
  }

  /**
   * Reads a decimal number; neither NaN nor infinities, nor the hexadecimal and suffixed forms that
   * Java would take.
   *
   * @throws BadLineException if it is none, or larger than any double
   */
  static double real(byte[] bytes, int from, int to, String what) {
    String text = utf8(bytes, from, to);
    for (int i = from; i < to; i++) {
      byte c = bytes[i];
      boolean numeric =
          (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
      if (!numeric) {
        throw new BadLineException(what + " '" + text + "' is not a number");
      }
    }
    try {
      double value = Double.parseDouble(text);
      if (Double.isInfinite(value)) {
        throw new BadLineException(what + " '" + text + "' is too large for a double");
      }
      return value;
    } catch (NumberFormatException e) {
      throw new BadLineException(what + " '" + text + "' is not a number");
    }
  }
}
