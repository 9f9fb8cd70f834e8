package dev.varve.formats.parquet;

import java.io.ByteArrayOutputStream;

/** The levels at the beginning of a page: their length and their runs. */
final class Levels {
  private Levels() {}

  static void write(ByteArrayOutputStream body, HybridRuns levels) {
    byte[] encoded = levels.end();
    Bits.littleEndian(body, encoded.length, Integer.BYTES);
    body.writeBytes(encoded);
  }
}
