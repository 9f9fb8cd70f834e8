package dev.varve.query.promql;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/**
 * Thrown if a text is not a query, is not supported, or is not of the required kind. The message is
 * that of Prometheus: line, column in bytes, and the problem; for a wrong kind, only the problem.
 */
public final class PromQlException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  private final int offset;

  PromQlException(byte[] query, int offset, String problem) {
    super(position(query, offset) + ": parse error: " + problem);
    this.offset = offset;
  }

  /** Creates an error about the query as a whole, which does not suit its purpose. */
  public PromQlException(String problem) {
    super(problem);
    this.offset = 0;
  }

  /** Returns the index of the first wrong byte in the query's UTF-8 form, from 0. */
  public int offset() {
    return offset;
  }

  private static String position(byte[] query, int offset) {
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

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
