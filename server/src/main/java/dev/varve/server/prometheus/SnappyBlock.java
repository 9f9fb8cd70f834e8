package dev.varve.server.prometheus;

import java.io.IOException;
import java.util.function.LongConsumer;
import org.xerial.snappy.Snappy;

/**
 * <a href="https://github.com/google/snappy/blob/main/format_description.txt">Snappy's block
 * format</a>, in which the messages of remote write come.
 */
final class SnappyBlock {
  /** The most bytes that three bytes of a block can stand for is 64, by a copy. */
  private static final int EXPANSION_MAX = 22;

  private SnappyBlock() {}

  /**
   * The content of a block.
   *
   * @param announced is told its length in bytes before there is room for it, and may refuse
   * @throws IOException if it is no block
   */
  static byte[] unpack(byte[] block, LongConsumer announced) throws IOException {
    long length = Snappy.uncompressedLength(block);
    if (length < 0 || length > (long) EXPANSION_MAX * block.length) {
      throw new IOException("a length of %d in %d bytes".formatted(length, block.length));
    }
    announced.accept(length);
    return Snappy.uncompress(block);
  }
}
