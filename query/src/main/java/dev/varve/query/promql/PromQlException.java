package dev.varve.query.promql;

/**
 * A text is no query, or one that is not supported. The message is Prometheus': line, column in
 * bytes, what is wrong.
 */
public final class PromQlException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int offset;

  PromQlException(byte[] query, int offset, String problem) {
    super(place(query, offset) + ": parse error: " + problem);
    this.offset = offset;
  }

  /** The first byte of the query's UTF-8 form that is wrong, counted from 0. */
  public int offset() {
    return offset;
  }

  private static String place(byte[] query, int offset) {
    if (query.length == 0) {
      return "unknown position";
    }
    int line = 1;
    int lineStart = 0;
    for (int i = 0; i < Math.min(offset, query.length); i++) {
      if (query[i] == '\n') {
        line++;
        lineStart = i + 1;
      }
    }
    return line + ":" + (offset - lineStart + 1);
  }
}
