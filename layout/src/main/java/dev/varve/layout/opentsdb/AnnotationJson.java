package dev.varve.layout.opentsdb;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The members of an annotation's JSON object (RFC 8259) that determine its cell. The text itself is
 * stored unchanged.
 *
 * @param tsuid the TSUID of the series; null if missing, as in global annotations
 * @param startTime the start in seconds if it fits into 32 bits, else in milliseconds; at least 1;
 *     null if missing
 */
record AnnotationJson(@Nullable String tsuid, @Nullable Long startTime) {
  private static final long LAST_SECOND = 0xffff_ffffL;

  /**
   * Parses a text.
   *
   * @throws IllegalArgumentException if it is not a JSON object; the message names the position
   */
  static AnnotationJson parse(String text) {
    return new Parser(text).document();
  }

  /** Returns the start in milliseconds since 1970; null if missing. */
  @Nullable Long startMillis() {
    return startTime == null || isMillis(startTime) ? startTime : Long.valueOf(1000 * startTime);
  }

  /** Returns whether the original interprets a time as milliseconds. */
  static boolean isMillis(long time) {
    return time > LAST_SECOND;
  }

  private static final class Parser {
    private static final int DEPTH_MAX = 64;

    /** Longest time, in characters: 19 digits, with a fraction and an exponent. */
    private static final int TIME_MAX = 64;

    private final String text;
    private int at;
    private @Nullable String tsuid;
    private @Nullable Long startTime;

    private Parser(String text) {
      this.text = text;
    }

    private AnnotationJson document() {
      space();
      if (peek() != '{') {
        throw wrong("'{'");
      }
      value(0);
      if (at != text.length()) {
        throw wrong("the end");
      }
      return new AnnotationJson(tsuid, startTime);
    }

    private void value(int depth) {
      if (depth > DEPTH_MAX) {
        throw wrong("at most " + DEPTH_MAX + " levels");
      }
      switch (peek()) {
        case '{' -> object(depth);
        case '[' -> array(depth);
        case '"' -> string();
        case 't' -> word("true");
        case 'f' -> word("false");
        case 'n' -> word("null");
        default -> number();
      }
      space();
    }

    private void object(int depth) {
      take('{');
      if (peek() != '}') {
        member(depth);
        while (peek() == ',') {
          take(',');
          member(depth);
        }
      }
      take('}');
    }

    private void member(int depth) {
      String name = string();
      space();
      take(':');
      int from = at;
      char first = peek();
      value(depth + 1);
      if (depth == 0 && name.equals("tsuid") && first == '"') {
        String quoted = text.substring(from, at).strip();
        tsuid = quoted.substring(1, quoted.length() - 1);
      }
      if (depth == 0 && name.equals("startTime") && (first == '-' || Character.isDigit(first))) {
        startTime = time(text.substring(from, at).strip(), from);
      }
    }

    private long time(String number, int from) {
      try {
        // Parsing a number takes time that grows with the square of its length.
        long time = number.length() > TIME_MAX ? 0 : new BigDecimal(number).longValueExact();
        if (time >= 1) {
          return time;
        }
      } catch (ArithmeticException e) {
        // Reported below, with the position.
      }
      at = from;
      throw wrong("a whole number from 1 on");
    }

    private void array(int depth) {
      take('[');
      if (peek() != ']') {
        value(depth + 1);
        while (peek() == ',') {
          take(',');
          value(depth + 1);
        }
      }
      take(']');
    }

    private String string() {
      if (peek() != '"') {
        throw wrong("'\"'");
      }
      int from = ++at;
      while (peek() != '"') {
        if (peek() < ' ') {
          throw wrong("a string without control characters");
        }
        if (peek() == '\\') {
          at++;
          escape();
        }
        at++;
      }
      return text.substring(from, at++);
    }

    private void escape() {
      if (peek() == 'u') {
        for (int i = 0; i < 4; i++) {
          at++;
          if (Character.digit(peek(), 16) < 0) {
            throw wrong("four hexadecimal digits");
          }
        }
      } else if ("\"\\/bfnrt".indexOf(peek()) < 0) {
        throw wrong("an escape");
      }
    }

    private void number() {
      if (peek() == '-') {
        at++;
      }
      if (peek() == '0') {
        at++;
      } else {
        digits();
      }
      if (peek() == '.') {
        at++;
        digits();
      }
      if (peek() == 'e' || peek() == 'E') {
        at++;
        if (peek() == '+' || peek() == '-') {
          at++;
        }
        digits();
      }
    }

    private void digits() {
      if (peek() < '0' || peek() > '9') {
        throw wrong("a value");
      }
      while (peek() >= '0' && peek() <= '9') {
        at++;
      }
    }

    private void word(String word) {
      if (!text.startsWith(word, at)) {
        throw wrong("a value");
      }
      at += word.length();
    }

    private void take(char c) {
      if (peek() != c) {
        throw wrong("'" + c + "'");
      }
      at++;
      space();
    }

    private void space() {
      while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
        at++;
      }
    }

    /** Returns the next character, or NUL at the end, which no rule accepts. */
    private char peek() {
      return at < text.length() ? text.charAt(at) : '\0';
    }

    private IllegalArgumentException wrong(String expected) {
      return new IllegalArgumentException(
          "JSON, character %d: %s expected, there is %s"
              .formatted(
                  at, expected, at < text.length() ? "'" + text.charAt(at) + "'" : "the end"));
    }
  }
}
