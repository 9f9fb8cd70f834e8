package dev.varve.server.prometheus;

import dev.varve.server.protobuf.WireWriter;
import java.io.ByteArrayOutputStream;
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

  /** So much is compressed within some milliseconds; whole fragments of the format's own 64 KiB. */
  private static final int PART = 1 << 20;

  private SnappyBlock() {}

  /**
   * A block of some content. Its parts are compressed each by itself, and stand one behind the
   * other: a copy looks back within its part.
   *
   * @param between throws where the block is not wanted any more
   */
  static byte[] pack(byte[] content, Runnable between) throws IOException {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    length(content.length, block);
    for (int from = 0; from < content.length; from += PART) {
      between.run();
      int length = Math.min(PART, content.length - from);
      byte[] part = new byte[Snappy.maxCompressedLength(length)];
      int size = Snappy.compress(content, from, length, part, 0);
      int head = WireWriter.varintSize(length);
      block.write(part, head, size - head);
    }
    return block.toByteArray();
  }

  private static void length(int length, ByteArrayOutputStream into) {
    int rest = length;
    while (rest >= 0x80) {
      into.write((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    into.write(rest);
  }

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
