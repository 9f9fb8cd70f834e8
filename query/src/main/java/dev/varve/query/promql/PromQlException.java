package dev.varve.query.promql;

/**
 * A text is no query, or one that is not supported, or none of the kind that is wanted. The message
 * is Prometheus': line, column in bytes, what is wrong; of a kind what is wrong alone.
 */
public final class PromQlException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int offset;

  PromQlException(byte[] query, int offset, String problem) {
    super(place(query, offset) + ": parse error: " + problem);
    this.offset = offset;
  }

  /** A query as a whole is none for what it was to be used for. */
  public PromQlException(String problem) {
    super(problem);
    this.offset = 0;
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
