package dev.varve.rules.template;

import dev.varve.query.promql.Quoting;
import dev.varve.rules.template.Token.Kind;
import java.util.ArrayList;
import java.util.List;

/** Splits a template into tokens. */
final class Lexer {
  private static final String LEFT = "{{";
  private static final String RIGHT = "}}";
  private static final String SPACES = " \t\r\n";

  private final Failure.Source source;
  private final String text;
  private final List<Token> tokens = new ArrayList<>();
  private int at;
  private int parentheses;

  Lexer(Failure.Source source) {
    this.source = source;
    this.text = source.text();
  }

  List<Token> tokens() throws TemplateException {
    boolean trim = false;
    while (true) {
      int left = text.indexOf(LEFT, at);
      int end = left < 0 ? text.length() : left;
      boolean trimBefore = left >= 0 && trims(left + 2);
      plain(at, end, trim, trimBefore);
      if (left < 0) {
        tokens.add(new Token(Kind.END, "", text.length()));
        return tokens;
      }
      at = left + 2 + (trimBefore ? 2 : 0);
      trim = text.startsWith("/*", at) ? comment() : action(left);
    }
  }

  /** Returns whether a minus and a space follow, which trim the preceding text. */
  private boolean trims(int place) {
    return text.startsWith("-", place) && place + 1 < text.length() && isSpace(place + 1);
  }

  private boolean isSpace(int place) {
    return SPACES.indexOf(text.charAt(place)) >= 0;
  }

  private void plain(int start, int end, boolean trimStart, boolean trimEnd) {
    int from = start;
    int to = end;
    while (trimStart && from < to && isSpace(from)) {
      from++;
    }
    while (trimEnd && to > from && isSpace(to - 1)) {
      to--;
    }
    if (to > from) {
      tokens.add(new Token(Kind.TEXT, text.substring(from, to), from));
    }
  }

  /** Skips a comment, and returns whether it trims the following text. */
  private boolean comment() throws TemplateException {
    int end = text.indexOf("*/", at);
    if (end < 0) {
      throw source.wrong(at, "unclosed comment");
    }
    at = end + 2;
    boolean trim = at + 1 < text.length() && isSpace(at) && text.startsWith("-}}", at + 1);
    if (!trim && !text.startsWith(RIGHT, at)) {
      throw source.wrong(at, "comment ends before closing delimiter");
    }
    at += trim ? 4 : 2;
    return trim;
  }

  /** Splits an action into tokens, and returns whether it trims the following text. */
  private boolean action(int left) throws TemplateException {
    tokens.add(new Token(Kind.LEFT, LEFT, left));
    parentheses = 0;
    while (true) {
      if (at >= text.length()) {
        throw source.wrong(at, "unclosed action");
      }
      boolean trim = isSpace(at) && text.startsWith("-}}", at + 1);
      if (trim || text.startsWith(RIGHT, at)) {
        if (parentheses > 0) {
          throw source.wrong(at, "unclosed left paren");
        }
        tokens.add(new Token(Kind.RIGHT, RIGHT, at));
        at += trim ? 4 : 2;
        return trim;
      }
      inside();
    }
  }

  private void inside() throws TemplateException {
    int start = at;
    int c = text.codePointAt(at);
    switch (c) {
      case ' ', '\t', '\r', '\n' -> space();
      case '|' -> one(Kind.PIPE);
      case ',' -> one(Kind.COMMA);
      case '=' -> one(Kind.ASSIGN);
      case '(' -> {
        parentheses++;
        one(Kind.LEFT_PAREN);
      }
      case ')' -> {
        if (--parentheses < 0) {
          throw source.wrong(at, "unexpected right paren");
        }
        one(Kind.RIGHT_PAREN);
      }
      case ':' -> declare();
      case '"' -> quoted('"', Kind.STRING, "unterminated quoted string");
      case '\'' -> quoted('\'', Kind.CHARACTER, "unterminated character constant");
      case '`' -> raw();
      case '$' -> {
        at++;
        name();
        add(Kind.VARIABLE, start);
      }
      case '.' -> dot();
      default -> numberOrWord(c);
    }
  }

  private void space() {
    int start = at;
    while (at < text.length() && isSpace(at) && !text.startsWith("-}}", at + 1)) {
      at++;
    }
    add(Kind.SPACE, start);
  }

  private void declare() throws TemplateException {
    if (!text.startsWith(":=", at)) {
      throw source.wrong(at, "expected :=");
    }
    int start = at;
    at += 2;
    add(Kind.DECLARE, start);
  }

  private void raw() throws TemplateException {
    int start = at;
    int end = text.indexOf('`', at + 1);
    if (end < 0) {
      throw source.wrong(at, "unterminated raw quoted string");
    }
    at = end + 1;
    add(Kind.STRING, start);
  }

  private void dot() throws TemplateException {
    int start = at;
    if (at + 1 < text.length() && isDigit(text.charAt(at + 1))) {
      number();
    } else {
      at++;
      name();
      add(at == start + 1 ? Kind.DOT : Kind.FIELD, start);
    }
  }

  private void numberOrWord(int c) throws TemplateException {
    int start = at;
    if (isDigit(c) || c == '+' || c == '-') {
      number();
    } else if (isNamePart(c)) {
      name();
      add(Kind.WORD, start);
    } else {
      throw source.wrong(
          at,
          "unexpected %s in %s"
              .formatted(
                  Quoting.quoted(Character.toString(c)), beginsCommand() ? "command" : "operand"));
    }
  }

  private boolean beginsCommand() {
    for (Token token : tokens.reversed()) {
      if (token.kind() != Kind.SPACE) {
        return token.kind() == Kind.LEFT || token.kind() == Kind.PIPE;
      }
    }
    return true;
  }

  private void one(Kind kind) {
    at++;
    add(kind, at - 1);
  }

  private void add(Kind kind, int start) {
    tokens.add(new Token(kind, text.substring(start, at), start));
  }

  private void quoted(char quote, Kind kind, String unterminated) throws TemplateException {
    int start = at;
    for (at++; at < text.length() && text.charAt(at) != '\n'; at++) {
      char c = text.charAt(at);
      if (c == '\\') {
        at++;
      } else if (c == quote) {
        at++;
        add(kind, start);
        return;
      }
    }
    throw source.wrong(start, unterminated);
  }

  private void number() throws TemplateException {
    int start = at;
    at++;
    while (at < text.length()) {
      char c = text.charAt(at);
      boolean sign = (c == '+' || c == '-') && "eEpP".indexOf(text.charAt(at - 1)) >= 0;
      if (!isNamePart(c) && c != '.' && !sign) {
        break;
      }
      at++;
    }
    Token number = new Token(Kind.NUMBER, text.substring(start, at), start);
    if (Numeral.read(number.text()) == null) {
      throw source.wrong(start, "bad number syntax: " + Quoting.quoted(number.text()));
    }
    tokens.add(number);
  }

  private void name() {
    while (at < text.length() && isNamePart(text.codePointAt(at))) {
      at += Character.charCount(text.codePointAt(at));
    }
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isNamePart(int c) {
    return c == '_' || Character.isLetterOrDigit(c);
  }
}
