package dev.varve.query.promql;

import dev.varve.query.promql.LabelMatcher.Operator;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses the lists of labels of a query: those that group, and the matchers of a selector. */
final class LabelParser {
  private final TokenReader tokens;
  private final Patterns patterns;

  LabelParser(TokenReader tokens, Patterns patterns) {
    this.tokens = tokens;
    this.patterns = patterns;
  }

  /** Parses a list of labels in parentheses. */
  List<String> grouping() {
    if (tokens.kind() != TokenKind.LEFT_PAREN) {
      throw tokens.unexpected(" in grouping opts, expected \"(\"");
    }
    tokens.take();
    List<String> labels = new ArrayList<>();
    while (tokens.kind() != TokenKind.RIGHT_PAREN) {
      labels.add(groupingLabel());
      if (tokens.kind() == TokenKind.COMMA) {
        tokens.take();
      } else if (tokens.kind() != TokenKind.RIGHT_PAREN) {
        throw tokens.unexpected(" in grouping opts, expected \",\" or \")\"");
      }
    }
    tokens.take();
    return labels;
  }

  private String groupingLabel() {
    if (tokens.kind().isLabelName()) {
      return tokens.take().text();
    }
    if (tokens.kind() != TokenKind.STRING) {
      throw tokens.unexpected(" in grouping opts, expected label");
    }
    Token token = tokens.take();
    String label = tokens.unquoted(token);
    if (label.isEmpty()) {
      throw tokens.error(token.source(), "invalid label name for grouping: \"\"");
    }
    return label;
  }

  /** Parses matchers after the opening brace, and the closing brace. */
  void matchers(List<LabelMatcher> matchers) {
    while (tokens.kind() != TokenKind.RIGHT_BRACE) {
      matchers.add(matcher());
      if (tokens.kind() == TokenKind.COMMA) {
        tokens.take();
      } else if (tokens.kind() != TokenKind.RIGHT_BRACE) {
        throw tokens.unexpected(" in label matching, expected \",\" or \"}\"");
      }
    }
    tokens.take();
  }

  private LabelMatcher matcher() {
    if (tokens.kind() != TokenKind.IDENTIFIER && tokens.kind() != TokenKind.STRING) {
      throw tokens.unexpected(" in label matching, expected identifier or \"}\"");
    }
    Token token = tokens.take();
    boolean quoted = token.kind() == TokenKind.STRING;
    String label = quoted ? tokens.unquoted(token) : token.text();
    Operator operator = operator(tokens.kind());
    if (operator == null) {
      if (quoted) {
        return LabelMatcher.metric(label);
      }
      throw tokens.unexpected(" in label matching, expected label matching operator");
    }
    tokens.take();
    if (tokens.kind() != TokenKind.STRING) {
      throw tokens.unexpected(" in label matching, expected string");
    }
    String value = tokens.unquoted(tokens.take());
    if (operator == Operator.MATCH || operator == Operator.NO_MATCH) {
      patterns.add(value, token.source());
    }
    return new LabelMatcher(label, operator, value);
  }

  private static @Nullable Operator operator(TokenKind kind) {
    return switch (kind) {
      case EQUAL -> Operator.EQUAL;
      case NOT_EQUAL -> Operator.NOT_EQUAL;
      case MATCH -> Operator.MATCH;
      case NO_MATCH -> Operator.NO_MATCH;
      default -> null;
    };
  }
}
