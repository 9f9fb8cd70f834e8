package dev.varve.query.promql.eval;

import dev.varve.query.promql.SourceRange;
import java.nio.charset.StandardCharsets;

/** Formats positions in a query as line and column, both from 1, the column in bytes. */
final class PositionText {
  private final byte[] query;

  PositionText(String query) {
    this.query = query.getBytes(StandardCharsets.UTF_8);
  }

  String of(SourceRange where) {
    int line = 1;
    int lineStart = 0;
    for (int i = 0; i < Math.min(where.start(), query.length); i++) {
      if (query[i] == '\n') {
        line++;
        lineStart = i + 1;
      }
    }
    return line + ":" + (where.start() - lineStart + 1);
  }
}
