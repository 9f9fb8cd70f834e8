package dev.varve.rules.template;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Parses Go's quoted texts. */
final class GoText {
  private GoText() {}

  /**
   * Unquotes a text in double quotes, single quotes or back quotes.
   *
   * @throws IllegalArgumentException if an escape is invalid
   */
  static String unquoted(String literal) {
    char quote = literal.charAt(0);
    String inner = literal.substring(1, literal.length() - 1);
    if (quote == '`') {
      return inner.replace("\r", "");
    }
    if (inner.indexOf('\\') < 0) {
      return inner;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(inner.length());
    int at = 0;
    while (at < inner.length()) {
      int slash = inner.indexOf('\\', at);
      int end = slash < 0 ? inner.length() : slash;
      bytes.writeBytes(inner.substring(at, end).getBytes(StandardCharsets.UTF_8));
      at = slash < 0 ? end : unescape(inner, end + 1, quote, bytes);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** Writes the value of an escape and returns the index after it. */
  private static int unescape(String inner, int at, char quote, ByteArrayOutputStream bytes) {
    char c = inner.charAt(at);
    return switch (c) {
      case 'x' -> point(inner, at + 1, 2, 16, false, bytes);
      case 'u' -> point(inner, at + 1, 4, 16, true, bytes);
      case 'U' -> point(inner, at + 1, 8, 16, true, bytes);
      case '0', '1', '2', '3', '4', '5', '6', '7' -> point(inner, at, 3, 8, false, bytes);
      default -> {
        int place = "abfnrtv\\".indexOf(c);
        if (place < 0 && c != quote) {
          throw new IllegalArgumentException("an escape \\" + c);
        }
        bytes.write(place < 0 ? c : "\u0007\b\f\n\r\t\u000B\\".charAt(place));
        yield at + 1;
      }
    };
  }

  private static int point(
      String inner, int from, int digits, int radix, boolean rune, ByteArrayOutputStream bytes) {
    if (from + digits > inner.length()) {
      throw new IllegalArgumentException("an escape that is cut off");
    }
    int value = Integer.parseUnsignedInt(inner, from, from + digits, radix);
    if (rune) {
      if (!Character.isValidCodePoint(value)) {
        throw new IllegalArgumentException("no character " + value);
      }
      bytes.writeBytes(Character.toString(value).getBytes(StandardCharsets.UTF_8));
    } else if (value > 255) {
      throw new IllegalArgumentException("no byte " + value);
    } else {
      bytes.write(value);
    }
    return from + digits;
  }
}
