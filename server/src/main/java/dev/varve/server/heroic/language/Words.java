package dev.varve.server.heroic.language;

import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.language.Token.Kind;
import java.util.List;

/** The words of a text, read one after another. */
final class Words {
  /** Deepest nesting of brackets and prefixes; parsers recurse into them. */
  private static final int NESTING_MAX = 100;

  private final List<Token> tokens;
  private int next;
  private int nesting;

  Words(String text) {
    this.tokens = Lexer.words(text);
  }

  Token peek() {
    return tokens.get(next);
  }

  boolean at(Kind kind) {
    return peek().is(kind);
  }

  Token take() {
    Token token = tokens.get(next);
    next = Math.min(next + 1, tokens.size() - 1);
    return token;
  }

  /** Takes the next word if it is of a kind; returns whether it was. */
  boolean takeIf(Kind kind) {
    boolean is = at(kind);
    if (is) {
      take();
    }
    return is;
  }

  Token expect(Kind kind, String wanted) {
    if (!at(kind)) {
      throw unexpected("expected " + wanted);
    }
    return take();
  }

  void expectEnd() {
    if (!at(Kind.END)) {
      throw peek().error("garbage at end of string: '%s'".formatted(peek().text()));
    }
  }

  HeroicError unexpected(String why) {
    return peek()
        .error(
            at(Kind.END)
                ? "unexpected end: " + why
                : "unexpected token: %s; %s".formatted(peek().text(), why));
  }

  /** A place in the text. */
  record Mark(int next, int nesting) {}

  /** Returns the place, for {@link #back}. */
  Mark mark() {
    return new Mark(next, nesting);
  }

  void back(Mark mark) {
    next = mark.next();
    nesting = mark.nesting();
  }

  void enter() {
    if (++nesting > NESTING_MAX) {
      throw peek().error("nested more than %d times".formatted(NESTING_MAX));
    }
  }

  void leave() {
    nesting--;
  }
}
