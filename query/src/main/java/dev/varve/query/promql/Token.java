package dev.varve.query.promql;

/** A word, symbol or literal of a query, as written. */
record Token(TokenKind kind, String text, SourceRange source) {
  private static final int QUOTED_MAX = 10;

  /** Returns its form in error messages. */
  String description() {
    return switch (kind.family()) {
      case LITERAL ->
          switch (kind) {
            case END -> kind.text();
            case IDENTIFIER, METRIC_IDENTIFIER -> kind.text() + " " + Quoting.quoted(text);
            default -> kind.text() + " " + shortened();
          };
      case PUNCTUATION, PREPROCESSOR -> shortened();
      case OPERATOR -> "<op:" + text + ">";
      case AGGREGATOR -> "<aggr:" + text + ">";
      case KEYWORD -> "<" + text + ">";
    };
  }

  private String shortened() {
    if (source.end() - source.start() <= QUOTED_MAX) {
      return Quoting.quoted(text);
    }
    int end =
        text.codePointCount(0, text.length()) <= QUOTED_MAX
            ? text.length()
            : text.offsetByCodePoints(0, QUOTED_MAX);
    return Quoting.quoted(text.substring(0, end)) + "...";
  }
}
