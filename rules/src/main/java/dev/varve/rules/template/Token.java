package dev.varve.rules.template;

import dev.varve.query.promql.Quoting;

/**
 * A token of a template.
 *
 * @param start where it starts in the text, in UTF-16 units
 */
record Token(Kind kind, String text, int start) {
  enum Kind {
    /** Text outside of actions. */
    TEXT,
    LEFT,
    RIGHT,
    SPACE,
    /** The name of a function, or a keyword. */
    WORD,
    /** {@code .name} */
    FIELD,
    /** {@code $} or {@code $name} */
    VARIABLE,
    DOT,
    NUMBER,
    /** A character in single quotes, which denotes its number. */
    CHARACTER,
    /** A string, including its quotes. */
    STRING,
    PIPE,
    LEFT_PAREN,
    RIGHT_PAREN,
    DECLARE,
    ASSIGN,
    COMMA,
    END
  }

  /** Returns its form in error messages. */
  String shown() {
    return switch (kind) {
      case END -> "EOF";
      case DOT -> "<.>";
      default -> Quoting.quoted(text);
    };
  }
}
