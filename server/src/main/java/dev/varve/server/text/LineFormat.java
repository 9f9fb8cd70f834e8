package dev.varve.server.text;

import dev.varve.model.BatchBuilder;

/**
 * A text format, read line by line. Not safe for use by several threads: formats remember the keys
 * of lines they have seen.
 */
public interface LineFormat {
  /**
   * Reads one line into a batch. Blank lines and comments add nothing.
   *
   * @param from the first byte of the line
   * @param to behind its last byte, without the line end
   * @throws BadLineException if the line is not of the format; the batch is as it was
   */
  void read(byte[] bytes, int from, int to, BatchBuilder into);
}
