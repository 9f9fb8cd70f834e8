package dev.varve.query.promql;

/**
 * A range within the text of a query.
 *
 * @param start index of the first byte in the text's UTF-8 form, from 0
 * @param end index after the last byte
 */
public record SourceRange(int start, int end) {
  /** Returns the range from the start of this one to the end of a later one. */
  SourceRange to(SourceRange last) {
    return new SourceRange(start, last.end);
  }
}
