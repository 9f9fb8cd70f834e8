package dev.varve.formats.text;

import dev.varve.model.BatchBuilder;

/** Shared code of fuzz targets for line formats. */
final class LinesFuzz {
  private LinesFuzz() {}

  /**
   * Reads an input line by line, as imports and requests do. A bad line must leave the batch
   * unchanged and give a reason; the lines read must form a valid batch.
   */
  static void read(LineFormat format, byte[] input) {
    BatchBuilder batch = new BatchBuilder();
    int from = 0;
    for (int at = 0; at <= input.length; at++) {
      if (at == input.length || input[at] == '\n') {
        int before = batch.sampleCount();
        try {
          format.read(input, from, at, batch);
        } catch (BadLineException e) {
          if (batch.sampleCount() != before) {
            throw new AssertionError("a bad line was read in part", e);
          }
          if (e.getMessage() == null || e.getMessage().isEmpty()) {
            throw new AssertionError("refused without a reason", e);
          }
        }
        from = at + 1;
      }
    }
    if (!batch.isEmpty()) {
      batch.build();
    }
  }
}
