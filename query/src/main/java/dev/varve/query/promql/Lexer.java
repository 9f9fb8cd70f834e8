package dev.varve.query.promql;

import java.nio.charset.StandardCharsets;

/**
 * Splits a query into tokens. The meaning of a character depends on its context: words in braces
 * are not keywords, and a duration follows a bracket.
 *
 * <p>Tokens are produced on demand, so that the first of two errors is reported.
 */
final class Lexer {
  private static final int END = -1;

  private final byte[] input;

  /** Start of the token, position of the next character, and length of the last character. */
  private int start;

  private int at;
  private int width;

  private int parentheses;
  private boolean inBraces;
  private boolean inBrackets;

  /** Whether a bracket has been opened and no number has followed. */
  private boolean durationDue;

  private boolean durationSeen;
  private boolean colonSeen;

  Lexer(byte[] input) {
    this.input = input;
  }

  /** Returns the next token; at the end, {@link TokenKind#END} every time. */
  Token next() {
    while (true) {
      start = at;
      int c = read();
      if (isSpace(c)) {
        continue;
      }
      if (c == '#' && !durationDue) {
        skipLine();
        continue;
      }
      if (inBraces) {
        return insideBraces(c);
      }
      return durationDue ? insideBrackets(c) : outside(c);
    }
  }

  private Token outside(int c) {
    return switch (c) {
      case END -> end();
      case ',' -> token(TokenKind.COMMA);
      case '*' -> token(TokenKind.MULTIPLY);
      case '/' -> token(TokenKind.DIVIDE);
      case '%' -> token(TokenKind.MODULO);
      case '+' -> token(TokenKind.ADD);
      case '-' -> token(TokenKind.SUBTRACT);
      case '^' -> token(TokenKind.POWER);
      case '@' -> token(TokenKind.AT);
      case '=' -> equal();
      case '!' -> {
        int next = read();
        if (next != '=') {
          throw error("unexpected character after '!': " + Quoting.quoted(next));
        }
        yield token(TokenKind.NOT_EQUAL);
      }
      case '<' -> token(accept("=") ? TokenKind.LESS_OR_EQUAL : TokenKind.LESS);
      case '>' -> token(accept("=") ? TokenKind.GREATER_OR_EQUAL : TokenKind.GREATER);
      case '"', '\'' -> string(c);
      case '`' -> rawString();
      case '(' -> leftParenthesis();
      case ')' -> rightParenthesis();
      case '{' -> {
        inBraces = true;
        yield token(TokenKind.LEFT_BRACE);
      }
      case '[' -> leftBracket(c);
      case ']' -> rightBracket(c);
      case ':' -> inBrackets ? colon() : word();
      default -> {
        if (isDigit(c) || (c == '.' && isDigit(peek()))) {
          unread();
          yield numberOrDuration();
        }
        if (!isLetter(c)) {
          throw error("unexpected character: " + Quoting.quoted(c));
        }
        if (inBrackets) {
          throw error("unexpected character in duration expression: " + Quoting.quoted(c));
        }
        yield word();
      }
    };
  }

  private Token end() {
    if (parentheses != 0) {
      throw error("unclosed left parenthesis");
    }
    if (inBrackets) {
      throw error("unclosed left bracket");
    }
    return token(TokenKind.END);
  }

  private Token equal() {
    int next = peek();
    if (next == '~') {
      throw error("unexpected character after '=': " + Quoting.quoted(next));
    }
    return token(accept("=") ? TokenKind.COMPARE_EQUAL : TokenKind.EQUAL);
  }

  private Token leftParenthesis() {
    parentheses++;
    return token(TokenKind.LEFT_PAREN);
  }

  private Token rightParenthesis() {
    parentheses--;
    if (parentheses < 0) {
      throw errorAfter("unexpected right parenthesis ')'");
    }
    return token(TokenKind.RIGHT_PAREN);
  }

  private Token leftBracket(int c) {
    if (inBrackets) {
      throw error("unexpected left bracket " + Quoting.quoted(c));
    }
    inBrackets = true;
    colonSeen = false;
    durationDue = true;
    return token(TokenKind.LEFT_BRACKET);
  }

  private Token rightBracket(int c) {
    if (!inBrackets) {
      throw error("unexpected right bracket " + Quoting.quoted(c));
    }
    inBrackets = false;
    durationDue = false;
    return token(TokenKind.RIGHT_BRACKET);
  }

  private Token colon() {
    if (colonSeen) {
      throw error("unexpected colon ':'");
    }
    colonSeen = true;
    return token(TokenKind.COLON);
  }

  /** Reads a token in brackets before any number. */
  private Token insideBrackets(int c) {
    return switch (c) {
      case END -> throw error("unexpected end of input in duration expression");
      case ']' -> rightBracket(c);
      case ':' -> {
        if (!durationSeen) {
          throw errorAfter("unexpected colon before duration in duration expression");
        }
        if (colonSeen) {
          throw errorAfter("unexpected repeated colon in duration expression");
        }
        colonSeen = true;
        yield token(TokenKind.COLON);
      }
      case '(' -> leftParenthesis();
      case ')' -> rightParenthesis();
      case '+' -> token(TokenKind.ADD);
      case '-' -> token(TokenKind.SUBTRACT);
      case '*' -> token(TokenKind.MULTIPLY);
      case '/' -> token(TokenKind.DIVIDE);
      case '%' -> token(TokenKind.MODULO);
      case '^' -> token(TokenKind.POWER);
      default -> {
        if (!isDigit(c) && !(c == '.' && isDigit(peek()))) {
          throw error("unexpected character in duration expression: " + Quoting.quoted(c));
        }
        unread();
        durationSeen = true;
        durationDue = false;
        yield numberOrDuration();
      }
    };
  }

  private Token insideBraces(int c) {
    return switch (c) {
      case END -> throw error("unexpected end of input inside braces");
      case ',' -> token(TokenKind.COMMA);
      case '"', '\'' -> string(c);
      case '`' -> rawString();
      case '=' -> token(accept("~") ? TokenKind.MATCH : TokenKind.EQUAL);
      case '!' -> {
        int next = read();
        yield switch (next) {
          case '~' -> token(TokenKind.NO_MATCH);
          case '=' -> token(TokenKind.NOT_EQUAL);
          default ->
              throw error("unexpected character after '!' inside braces: " + Quoting.quoted(next));
        };
      }
      case '{' -> throw error("unexpected left brace '{'");
      case '}' -> {
        inBraces = false;
        yield token(TokenKind.RIGHT_BRACE);
      }
      default -> {
        if (!isLetter(c)) {
          throw error("unexpected character inside braces: " + Quoting.quoted(c));
        }
        while (isLetter(peek()) || isDigit(peek())) {
          read();
        }
        yield token(TokenKind.IDENTIFIER);
      }
    };
  }

  private Token word() {
    while (isLetter(peek()) || isDigit(peek()) || peek() == ':') {
      read();
    }
    return token(TokenKind.ofWord(text()));
  }

  private Token string(int quote) {
    while (true) {
      int c = read();
      if (c == quote) {
        return token(TokenKind.STRING);
      }
      switch (c) {
        case '\\' -> escape(quote);
        case Quoting.REPLACEMENT -> throw error("invalid UTF-8 rune");
        case END, '\n' -> throw error("unterminated quoted string");
        default -> {}
      }
    }
  }

  private Token rawString() {
    while (true) {
      switch (read()) {
        case '`' -> {
          return token(TokenKind.STRING);
        }
        case Quoting.REPLACEMENT -> throw error("invalid UTF-8 rune");
        case END -> throw error("unterminated raw string");
        default -> {}
      }
    }
  }

  private void escape(int quote) {
    int c = read();
    switch (c) {
      case 'a', 'b', 'f', 'n', 'r', 't', 'v', '\\' -> {}
      case '0', '1', '2', '3', '4', '5', '6', '7' -> {
        unread();
        escaped(3, 8, 255);
      }
      case 'x' -> escaped(2, 16, 255);
      case 'u' -> escaped(4, 16, Character.MAX_CODE_POINT);
      case 'U' -> escaped(8, 16, Character.MAX_CODE_POINT);
      case END -> throw error("escape sequence not terminated");
      default -> {
        if (c != quote) {
          throw error("unknown escape sequence " + named(c));
        }
      }
    }
  }

  private void escaped(int digits, int radix, int max) {
    long value = 0;
    for (int i = 0; i < digits; i++) {
      int c = read();
      if (c == END) {
        throw error("escape sequence not terminated");
      }
      int digit = c < 0x80 ? Character.digit(c, radix) : -1;
      if (digit < 0) {
        throw error("illegal character " + named(c) + " in escape sequence");
      }
      value = value * radix + digit;
    }
    if (value > max || (value >= Character.MIN_SURROGATE && value <= Character.MAX_SURROGATE)) {
      throw error("escape sequence is an invalid Unicode code point");
    }
  }

  /** Describes a character by its number, and by itself if it is printable. */
  private static String named(int point) {
    String number = "U+%04X".formatted(point);
    return Quoting.isPrintable(point) ? number + " '" + Character.toString(point) + "'" : number;
  }

  private Token numberOrDuration() {
    if (number()) {
      return token(TokenKind.NUMBER);
    }
    if (duration()) {
      return token(TokenKind.DURATION);
    }
    throw error("bad number or duration syntax: " + Quoting.quoted(text()));
  }

  /** Reads a number; returns false if it is invalid, or continues as something else. */
  private boolean number() {
    if (accept("0") && accept("xX")) {
      acceptAll("_0123456789abcdefABCDEF");
      return !isLetter(peek()) && peek() != '.';
    }
    boolean dot = false;
    boolean exponent = false;
    accept(".");
    acceptAll("0123456789");
    while (true) {
      if (accept(".")) {
        if (dot || accept("_.")) {
          return false;
        }
        dot = true;
      } else if (accept("eE")) {
        if (exponent) {
          return false;
        }
        exponent = true;
        accept("+-");
        if (accept("._eE") || peek() == END) {
          return false;
        }
      } else if (accept("_")) {
        if (accept("._eE") || peek() == END) {
          return false;
        }
      } else if (!acceptAll("0123456789")) {
        return !isLetter(peek());
      }
    }
  }

  /** Reads the rest of a duration after its first digits. */
  private boolean duration() {
    // Years may only come first; other invalid orders are found when the duration is parsed.
    String units = "smhdwy";
    do {
      if (!accept(units)) {
        return false;
      }
      accept("s");
      units = "smhdw";
    } while (acceptAll("0123456789"));
    if (isLetter(peek())) {
      read();
      return false;
    }
    return true;
  }

  private void skipLine() {
    int c = read();
    while (c != '\n' && c != '\r' && c != END) {
      c = read();
    }
  }

  private Token token(TokenKind kind) {
    return new Token(kind, text(), new SourceRange(start, at));
  }

  private String text() {
    return new String(input, start, at - start, StandardCharsets.UTF_8);
  }

  private PromQlException error(String problem) {
    return new PromQlException(input, start, problem);
  }

  /** Returns an error at the end of the token, where Prometheus reports it. */
  private PromQlException errorAfter(String problem) {
    return new PromQlException(input, at, problem);
  }

  private static boolean isSpace(int c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isLetter(int c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  /** Consumes the next character if it is one of these. */
  private boolean accept(String characters) {
    int c = peek();
    if (c == END || characters.indexOf(c) < 0) {
      return false;
    }
    read();
    return true;
  }

  private boolean acceptAll(String characters) {
    int before = at;
    while (accept(characters)) {
      // Everything happens in the condition.
    }
    return at > before;
  }

  private int peek() {
    int c = read();
    unread();
    return c;
  }

  private void unread() {
    at -= width;
  }

  /**
   * Reads the next character; {@link #END} after the last. {@link PromQl} ensures that the input is
   * well-formed UTF-8.
   */
  private int read() {
    if (at >= input.length) {
      width = 0;
      return END;
    }
    int first = input[at];
    width = first >= 0 ? 1 : Integer.numberOfLeadingZeros(~(first << 24));
    int point = first >= 0 ? first : first & (0xFF >> (width + 1));
    for (int i = 1; i < width; i++) {
      point = point << 6 | (input[at + i] & 0x3F);
    }
    at += width;
    return point;
  }
}
