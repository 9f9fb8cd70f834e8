package dev.varve.query.promql;

import java.nio.charset.CharacterCodingException;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a query, one of which is looked at before it is taken. Tokens are read as late as
 * possible, because an error of the lexer ends the query with the text that Prometheus gives it.
 */
final class TokenReader {
  private final byte[] query;
  private final Lexer lexer;
  private @Nullable Token ahead;

  /** End of the last token taken. */
  private int end;

  TokenReader(byte[] query) {
    this.query = query;
    this.lexer = new Lexer(query);
  }

  Token peek() {
    if (ahead == null) {
      ahead = lexer.next();
    }
    return ahead;
  }

  /** Returns the kind of the next token. */
  TokenKind kind() {
    return peek().kind();
  }

  Token take() {
    Token next = peek();
    ahead = null;
    end = next.source().end();
    return next;
  }

  /** Returns the range from the start of another one to the last token taken. */
  SourceRange from(SourceRange first) {
    return new SourceRange(first.start(), end);
  }

  /** Returns the text of a string literal without its quotes and escapes. */
  String unquoted(Token token) {
    try {
      return Quoting.unquoted(token.text());
    } catch (CharacterCodingException e) {
      throw error(
          token.source(),
          "the escapes of string %s encode bytes that are not UTF-8"
              .formatted(Quoting.quoted(token.text())));
    }
  }

  PromQlException error(SourceRange source, String problem) {
    return new PromQlException(query, source.start(), problem);
  }

  /**
   * Returns the error that the next token is.
   *
   * @param where the innermost open context, such as {@code " in aggregation"}; may be empty
   */
  PromQlException unexpected(String where) {
    return error(peek().source(), "unexpected " + peek().description() + where);
  }
}
