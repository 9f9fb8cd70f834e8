package dev.varve.formats.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Common operations of text formats: finding bytes, and reading numbers and strings from them. */
final class Scan {
  private static final int SHOWN_MAX = 80;
  private static final char REPLACEMENT = '\uFFFD';

  private Scan() {}

  /** Returns the index of the first such byte, or {@code to}. */
  static int find(byte[] bytes, int from, int to, char wanted) {
    int at = from;
    while (at < to && bytes[at] != wanted) {
      at++;
    }
    return at;
  }

  static int skipBlanks(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && isBlank(bytes[at])) {
      at++;
    }
    return at;
  }

  /** Returns the end of the word that starts at {@code from}. */
  static int wordEnd(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && !isBlank(bytes[at])) {
      at++;
    }
    return at;
  }

  static boolean isBlank(byte c) {
    return c == ' ' || c == '\t' || c == '\r';
  }

  /**
   * Reads a string.
   *
   * @throws BadLineException if it is not UTF-8; a replacement character would change the name
   */
  static String text(byte[] bytes, int from, int to) {
    String text = new String(bytes, from, to - from, StandardCharsets.UTF_8);
    if (text.indexOf(REPLACEMENT) >= 0) {
      byte[] back = text.getBytes(StandardCharsets.UTF_8);
      if (!Arrays.equals(back, 0, back.length, bytes, from, to)) {
        throw new BadLineException("'" + shown(bytes, from, to) + "' is not UTF-8");
      }
    }
    return text;
  }

  /** Returns the start of the bytes in one line, for messages. */
  static String shown(byte[] bytes, int from, int to) {
    // A character has at most four bytes.
    int end = Math.min(to, from + 4 * SHOWN_MAX);
    return shown(new String(bytes, from, end - from, StandardCharsets.UTF_8));
  }

  static String shown(String text) {
    String start = text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + "..." : text;
    StringBuilder line = new StringBuilder(start.length());
    start.chars().forEach(c -> line.append(Character.isISOControl(c) ? REPLACEMENT : (char) c));
    return line.toString();
  }

  /**
   * Reads a decimal int64.
   *
   * @throws BadLineException if it is not one, or too large
   */
  static long integer(byte[] bytes, int from, int to, String what) {
    boolean negative = from < to && bytes[from] == '-';
    int at = negative || (from < to && bytes[from] == '+') ? from + 1 : from;
    if (at == to || to - at > 19) {
      throw noInteger(bytes, from, to, what);
    }
    // Counts downwards, because there is one more negative number than positive.
    long value = 0;
    for (; at < to; at++) {
      int digit = bytes[at] - '0';
      long next = 10 * value - digit;
      if (digit < 0 || digit > 9 || next > value || value < Long.MIN_VALUE / 10) {
        throw noInteger(bytes, from, to, what);
      }
      value = next;
    }
    if (!negative && value == Long.MIN_VALUE) {
      throw noInteger(bytes, from, to, what);
    }
    return negative ? value : -value;
  }

  static long integer(String text, String what) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return integer(bytes, 0, bytes.length, what);
  }

  private static BadLineException noInteger(byte[] bytes, int from, int to, String what) {
    return new BadLineException(
        what + " '" + shown(bytes, from, to) + "' is not an integer of 64 bits");
  }

  /**
   * Reads a decimal number. NaN, infinities, and Java's hexadecimal and suffixed forms are invalid.
   *
   * @throws BadLineException if it is invalid, or larger than any double
   */
  static double real(byte[] bytes, int from, int to, String what) {
    return real(new String(bytes, from, to - from, StandardCharsets.UTF_8), what);
  }

  static double real(String text, String what) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean numeric =
          (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
      if (!numeric) {
        throw new BadLineException(what + " '" + shown(text) + "' is not a number");
      }
    }
    try {
      double value = Double.parseDouble(text);
      if (Double.isInfinite(value)) {
        throw new BadLineException(what + " '" + shown(text) + "' is too large for a double");
      }
      return value;
    } catch (NumberFormatException e) {
      throw new BadLineException(what + " '" + shown(text) + "' is not a number");
    }
  }

  /**
   * Reads a decimal number, NaN or an infinity; words are case-insensitive.
   *
   * @throws BadLineException if it is invalid, or larger than any double
   */
  static double realOrSpecial(String text, String what) {
    boolean signed = !text.isEmpty() && (text.charAt(0) == '+' || text.charAt(0) == '-');
    if (text.length() - (signed ? 1 : 0) < 3 || !Character.isLetter(text.charAt(signed ? 1 : 0))) {
      return real(text, what);
    }
    String word = signed ? text.substring(1) : text;
    if (word.equalsIgnoreCase("nan")) {
      return Double.NaN;
    }
    if (word.equalsIgnoreCase("inf") || word.equalsIgnoreCase("infinity")) {
      return text.charAt(0) == '-' ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    }
    return real(text, what);
  }
}
