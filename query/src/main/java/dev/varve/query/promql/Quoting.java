package dev.varve.query.promql;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Quoted strings, as formatted by Go and parsed by PromQL. */
public final class Quoting {
  /** Replaces invalid bytes in a text. */
  static final int REPLACEMENT = 0xFFFD;

  private static final HexFormat HEX = HexFormat.of();

  private Quoting() {}

  /** Quotes a text with double quotes; unprintable characters are escaped. */
  public static String quoted(String text) {
    StringBuilder out = new StringBuilder(text.length() + 2);
    quote(text, out);
    return out.toString();
  }

  static void quote(String text, StringBuilder out) {
    out.append('"');
    text.codePoints().forEach(point -> escape(point, '"', out));
    out.append('"');
  }

  /** Quotes a character with single quotes; -1, for the end, yields the replacement character. */
  static String quoted(int point) {
    if (point < 0 || point == REPLACEMENT) {
      return "'\uFFFD'";
    }
    StringBuilder out = new StringBuilder("'");
    escape(point, '\'', out);
    return out.append('\'').toString();
  }

  private static void escape(int point, char quote, StringBuilder out) {
    switch (point) {
      case 0x07 -> out.append("\\a");
      case '\b' -> out.append("\\b");
      case '\f' -> out.append("\\f");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      case 0x0B -> out.append("\\v");
      case '\\' -> out.append("\\\\");
      default -> {
        if (point == quote) {
          out.append('\\').append(quote);
        } else if (isPrintable(point) && point != REPLACEMENT) {
          out.appendCodePoint(point);
        } else if (point < 0x80) {
          out.append("\\x").append(HEX.toHexDigits((byte) point));
        } else if (point < 0x10000) {
          out.append("\\u").append(HEX.toHexDigits((char) point));
        } else {
          out.append("\\U").append(HEX.toHexDigits(point));
        }
      }
    }
  }

  /**
   * Returns whether Go considers a character printable: letters, marks, numbers, punctuation,
   * symbols and the ASCII space.
   */
  static boolean isPrintable(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      case Character.SPACE_SEPARATOR -> point == ' ';
      default -> true;
    };
  }

  /**
   * Unquotes a string. The lexer has checked its quotes and escapes.
   *
   * @throws CharacterCodingException if its escapes encode bytes that are not UTF-8
   */
  static String unquoted(String literal) throws CharacterCodingException {
    String inner = literal.substring(1, literal.length() - 1);
    if (literal.charAt(0) == '`' || inner.indexOf('\\') < 0) {
      return inner;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(inner.length());
    int at = 0;
    while (at < inner.length()) {
      int slash = inner.indexOf('\\', at);
      int end = slash < 0 ? inner.length() : slash;
      bytes.writeBytes(inner.substring(at, end).getBytes(StandardCharsets.UTF_8));
      at = slash < 0 ? end : unescape(inner, end + 1, bytes);
    }
    return StandardCharsets.UTF_8
        .newDecoder()
        .decode(ByteBuffer.wrap(bytes.toByteArray()))
        .toString();
  }

  /** Writes the value of an escape and returns the index after it. */
  private static int unescape(String inner, int at, ByteArrayOutputStream bytes) {
    char c = inner.charAt(at);
    return switch (c) {
      case 'x' -> {
        bytes.write(HexFormat.fromHexDigits(inner, at + 1, at + 3));
        yield at + 3;
      }
      case 'u', 'U' -> {
        int end = at + (c == 'u' ? 5 : 9);
        String point = Character.toString(HexFormat.fromHexDigits(inner, at + 1, end));
        bytes.writeBytes(point.getBytes(StandardCharsets.UTF_8));
        yield end;
      }
      case '0', '1', '2', '3', '4', '5', '6', '7' -> {
        bytes.write(Integer.parseInt(inner, at, at + 3, 8));
        yield at + 3;
      }
      default -> {
        bytes.write(control(c));
        yield at + 1;
      }
    };
  }

  /** Returns the character of a one-letter escape. */
  private static char control(char letter) {
    return switch (letter) {
      case 'a' -> 0x07;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'v' -> 0x0B;
      default -> letter;
    };
  }
}
