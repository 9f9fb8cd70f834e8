package dev.varve.server.heroic.language;

import dev.varve.server.heroic.error.HeroicError;

/**
 * A word of a text.
 *
 * @param text as written
 * @param line from 1
 * @param column of its first character, from 0
 */
public record Token(Kind kind, String text, int line, int column) {
  public enum Kind {
    LET,
    AS,
    TRUE,
    FALSE,
    WHERE,
    WITH,
    FROM,
    OR,
    AND,
    NOT,
    IN,
    BY,
    PLUS,
    MINUS,
    DIVIDE,
    MULTIPLY,
    EQUAL,
    REGEX,
    NOT_REGEX,
    PREFIX,
    NOT_PREFIX,
    BANG,
    NOT_EQUAL,
    SEMICOLON,
    COMMA,
    OPEN,
    CLOSE,
    OPEN_CURLY,
    CLOSE_CURLY,
    OPEN_BRACKET,
    CLOSE_BRACKET,
    PIPE,
    KEY,
    TIME,
    DATE_TIME,
    REFERENCE,
    QUOTED,
    IDENTIFIER,
    DURATION,
    INTEGER,
    FLOAT,
    SIMPLE,
    END
  }

  public boolean is(Kind wanted) {
    return kind == wanted;
  }

  /** Returns an error at this word. */
  public HeroicError error(String message) {
    return HeroicError.text(message, line, column, line, column + Math.max(0, text.length() - 1));
  }
}
