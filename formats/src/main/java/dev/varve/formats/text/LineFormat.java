package dev.varve.formats.text;

import dev.varve.model.BatchBuilder;

/** A text format that is read line by line. Not thread-safe. */
public interface LineFormat {
  /**
   * Reads one line into a batch. Blank lines and comments add nothing.
   *
   * @param from index of the first byte of the line
   * @param to index after its last byte, without the line end
   * @throws BadLineException if the line is invalid; the batch is unchanged
   */
  void read(byte[] bytes, int from, int to, BatchBuilder into);
}
