package dev.varve.server.heroic.language;

import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.language.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Splits a text into words. At each place the longest word counts, and among equally long ones the
 * first in this order: keywords and signs, times, references, strings, identifiers, durations,
 * numbers, and strings without quotes. So {@code 10/2} is one string, and {@code 10 / 2} a
 * quotient.
 */
final class Lexer {
  private static final Map<String, Kind> KEYWORDS =
      Map.ofEntries(
          Map.entry("let", Kind.LET),
          Map.entry("as", Kind.AS),
          Map.entry("true", Kind.TRUE),
          Map.entry("false", Kind.FALSE),
          Map.entry("where", Kind.WHERE),
          Map.entry("with", Kind.WITH),
          Map.entry("from", Kind.FROM),
          Map.entry("or", Kind.OR),
          Map.entry("and", Kind.AND),
          Map.entry("not", Kind.NOT),
          Map.entry("in", Kind.IN),
          Map.entry("by", Kind.BY),
          Map.entry("$key", Kind.KEY));

  private static final Map<String, Kind> SIGNS =
      Map.ofEntries(
          Map.entry("+", Kind.PLUS),
          Map.entry("-", Kind.MINUS),
          Map.entry("/", Kind.DIVIDE),
          Map.entry("*", Kind.MULTIPLY),
          Map.entry("=", Kind.EQUAL),
          Map.entry("~", Kind.REGEX),
          Map.entry("!~", Kind.NOT_REGEX),
          Map.entry("^", Kind.PREFIX),
          Map.entry("!^", Kind.NOT_PREFIX),
          Map.entry("!", Kind.BANG),
          Map.entry("!=", Kind.NOT_EQUAL),
          Map.entry(";", Kind.SEMICOLON),
          Map.entry(",", Kind.COMMA),
          Map.entry("(", Kind.OPEN),
          Map.entry(")", Kind.CLOSE),
          Map.entry("{", Kind.OPEN_CURLY),
          Map.entry("}", Kind.CLOSE_CURLY),
          Map.entry("[", Kind.OPEN_BRACKET),
          Map.entry("]", Kind.CLOSE_BRACKET),
          Map.entry("|", Kind.PIPE));

  private final String text;
  private final List<Token> words = new ArrayList<>();
  private int at;
  private int line = 1;
  private int lineStart;

  private Lexer(String text) {
    this.text = text;
  }

  /**
   * Returns the words of a text, the last of which is {@link Kind#END}.
   *
   * @throws HeroicError if a character belongs to no word
   */
  static List<Token> words(String text) {
    return new Lexer(text).words();
  }

  private List<Token> words() {
    while (true) {
      skip();
      if (at >= text.length()) {
        words.add(new Token(Kind.END, "", line, at - lineStart));
        return words;
      }
      words.add(next());
    }
  }

  /** Skips blanks and comments. */
  private void skip() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '#') {
        while (at < text.length() && text.charAt(at) != '\n' && text.charAt(at) != '\r') {
          at++;
        }
      } else if (c == '\n') {
        at++;
        line++;
        lineStart = at;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        at++;
      } else {
        return;
      }
    }
  }

  private Token next() {
    int start = at;
    int column = start - lineStart;
    if (text.charAt(start) == '"') {
      return quoted(column);
    }
    Kind kind = null;
    int end = start;
    for (Candidate candidate : candidates(start)) {
      if (candidate.end() > end) {
        end = candidate.end();
        kind = candidate.kind();
      }
    }
    String word = text.substring(start, Math.max(end, start + 1));
    if (kind == null) {
      throw new Token(Kind.END, word, line, column).error("unexpected token: " + word);
    }
    at = end;
    return new Token(kind, word, line, column);
  }

  /** A word that may begin here. */
  private record Candidate(Kind kind, int end) {}

  private List<Candidate> candidates(int from) {
    List<Candidate> found = new ArrayList<>();
    for (int length = 2; length >= 1; length--) {
      Kind sign =
          from + length <= text.length() ? SIGNS.get(text.substring(from, from + length)) : null;
      if (sign != null) {
        found.add(new Candidate(sign, from + length));
      }
    }
    int identifier = identifier(text.charAt(from) == '$' ? from + 1 : from);
    Kind keyword = KEYWORDS.get(text.substring(from, identifier));
    if (keyword != null) {
      found.add(new Candidate(keyword, identifier));
    }
    found.add(new Candidate(Kind.TIME, time(from)));
    found.add(new Candidate(Kind.DATE_TIME, dateTime(from)));
    if (text.charAt(from) == '$' && identifier > from + 1) {
      found.add(new Candidate(Kind.REFERENCE, identifier));
    } else if (text.charAt(from) != '$') {
      found.add(new Candidate(Kind.IDENTIFIER, identifier));
    }
    int signed = text.charAt(from) == '-' ? from + 1 : from;
    int digits = digits(signed);
    if (digits > signed) {
      found.add(new Candidate(Kind.DURATION, unit(digits)));
      found.add(new Candidate(Kind.INTEGER, digits));
    }
    int fraction = fraction(signed, digits);
    found.add(new Candidate(Kind.FLOAT, fraction));
    found.add(new Candidate(Kind.SIMPLE, simple(from)));
    return found;
  }

  private int digits(int from) {
    int end = from;
    while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
      end++;
    }
    return end;
  }

  private static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Returns the end of an identifier; {@code from} if there is none. */
  private int identifier(int from) {
    int end = from;
    while (end < text.length()
        && (isLetter(text.charAt(end)) || (end > from && isDigit(text.charAt(end))))) {
      end++;
    }
    return end;
  }

  private int simple(int from) {
    int end = from;
    while (end < text.length()
        && (isLetter(text.charAt(end))
            || isDigit(text.charAt(end))
            || ":/_-.".indexOf(text.charAt(end)) >= 0)) {
      end++;
    }
    return end;
  }

  /** Returns the end of a duration whose digits end here; -1 if no unit follows. */
  private int unit(int from) {
    if (text.startsWith("ms", from)) {
      return from + 2;
    }
    return from < text.length() && "smHhdwMy".indexOf(text.charAt(from)) >= 0 ? from + 1 : -1;
  }

  /** Returns the end of a number with a decimal point; -1 if there is none. */
  private int fraction(int from, int digits) {
    if (digits >= text.length() || text.charAt(digits) != '.') {
      return -1;
    }
    int end = digits(digits + 1);
    return digits > from || end > digits + 1 ? end : -1;
  }

  /** Returns the end of {@code HH:mm[:ss[.SSS]]}; -1 if there is none. */
  private int time(int from) {
    int minutes = after(from, ':');
    int end = minutes < 0 ? -1 : digits(minutes);
    if (end <= minutes) {
      return -1;
    }
    int seconds = end < text.length() && text.charAt(end) == ':' ? digits(end + 1) : -1;
    if (seconds <= end + 1) {
      return end;
    }
    int fraction =
        seconds < text.length() && text.charAt(seconds) == '.' ? digits(seconds + 1) : -1;
    return fraction > seconds + 1 ? fraction : seconds;
  }

  /** Returns the end of {@code yyyy-MM-dd[ time]}; -1 if there is none. */
  private int dateTime(int from) {
    int month = after(from, '-');
    int day = month < 0 ? -1 : after(month, '-');
    int end = day < 0 ? -1 : digits(day);
    if (end <= day) {
      return -1;
    }
    int time = end < text.length() && text.charAt(end) == ' ' ? time(end + 1) : -1;
    return time > 0 ? time : end;
  }

  /** Returns the place after some digits and a sign; -1 if there are none. */
  private int after(int from, char sign) {
    int end = digits(from);
    return end > from && end < text.length() && text.charAt(end) == sign ? end + 1 : -1;
  }

  private Token quoted(int column) {
    int start = at;
    int startLine = line;
    StringBuilder value = new StringBuilder();
    at++;
    while (at < text.length() && text.charAt(at) != '"') {
      char c = text.charAt(at++);
      if (c == '\n') {
        line++;
        lineStart = at;
      }
      if (c == '\\') {
        escape(value);
      } else {
        value.append(c);
      }
    }
    if (at >= text.length()) {
      throw HeroicError.text(
          "unterminated string: " + text.substring(start, Math.min(text.length(), start + 40)),
          startLine,
          column,
          line,
          at - lineStart);
    }
    at++;
    return new Token(Kind.QUOTED, value.toString(), startLine, column);
  }

  private void escape(StringBuilder value) {
    char c = at < text.length() ? text.charAt(at++) : '"';
    Character plain = plain(c);
    if (plain != null) {
      value.append(plain.charValue());
      return;
    }
    int code = 0;
    for (int i = 0; i < 4 && c == 'u'; i++) {
      // As in Heroic, the digits of an escape are in lower case.
      int digit = at < text.length() ? "0123456789abcdef".indexOf(text.charAt(at)) : -1;
      code = digit < 0 ? -1 : code * 16 + digit;
      if (code < 0) {
        break;
      }
      at++;
    }
    if (c != 'u' || code < 0) {
      throw new Token(Kind.END, "\\" + c, line, at - lineStart)
          .error("'\\" + c + "' begins no escape");
    }
    value.append((char) code);
  }

  private static @Nullable Character plain(char c) {
    return switch (c) {
      case 'b' -> '\b';
      case 't' -> '\t';
      case 'n' -> '\n';
      case 'f' -> '\f';
      case 'r' -> '\r';
      case '"', '\'', '\\' -> c;
      default -> null;
    };
  }
}
