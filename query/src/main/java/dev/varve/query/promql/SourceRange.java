package dev.varve.query.promql;

/**
 * Where something stands in the text of a query.
 *
 * @param start the first byte of the text's UTF-8 form, counted from 0
 * @param end behind the last byte
 */
public record SourceRange(int start, int end) {
  /** From the start of this to the end of another that follows. */
  SourceRange to(SourceRange last) {
    return new SourceRange(start, last.end);
  }
}
