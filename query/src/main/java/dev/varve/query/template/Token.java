package dev.varve.query.template;

import dev.varve.query.promql.Quoting;

/**
 * A piece of a template.
 *
 * @param start where it begins in the text, in UTF-16 units
 */
record Token(Kind kind, String text, int start) {
  enum Kind {
    /** What stands between actions. */
    TEXT,
    LEFT,
    RIGHT,
    SPACE,
    /** A name of a function, or a keyword. */
    WORD,
    /** {@code .name} */
    FIELD,
    /** {@code $} or {@code $name} */
    VARIABLE,
    DOT,
    NUMBER,
    /** A number by a character in single quotes. */
    CHARACTER,
    /** With its quotes. */
    STRING,
    PIPE,
    LEFT_PAREN,
    RIGHT_PAREN,
    DECLARE,
    ASSIGN,
    COMMA,
    END
  }

  /** As messages show it. */
  String shown() {
    return switch (kind) {
      case END -> "EOF";
      case DOT -> "<.>";
      default -> Quoting.quoted(text);
    };
  }
}
