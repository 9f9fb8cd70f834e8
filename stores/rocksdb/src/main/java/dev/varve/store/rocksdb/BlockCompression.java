package dev.varve.store.rocksdb;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Decompresses blocks in the formats that Varve configures RocksDB to write. */
final class BlockCompression {
  /*
   * block := size varint ‖ compressed      // if it is compressed; the size is the uncompressed one
   */
  private static final int NONE = 0;
  private static final int LZ4 = 4;
  private static final int ZSTD = 7;
  private static final int SIZE_MAX = 1 << 30;
  private static final int MATCH_MIN = 4;
  private static final int LENGTH_ON = 15;

  private BlockCompression() {}

  /**
   * Decompresses a block.
   *
   * @param length length of the block in bytes, without its trailer
   * @throws IOException if the bytes are invalid in this compression, or the compression is unknown
   */
  static ByteBuffer expand(byte[] block, int length, int compression) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(block, 0, length);
    if (compression == NONE) {
      return bytes;
    }
    long size = SstIndex.varint(bytes);
    if (size < 0 || size > SIZE_MAX) {
      throw new IOException("a block of %d bytes".formatted(size));
    }
    byte[] expanded = new byte[(int) size];
    switch (compression) {
      case LZ4 -> lz4(block, bytes.position(), length, expanded);
      case ZSTD -> zstd(bytes, expanded);
      default -> throw new IOException("a block of unknown compression " + compression);
    }
    return ByteBuffer.wrap(expanded);
  }

  private static void zstd(ByteBuffer bytes, byte[] expanded) throws IOException {
    // Off-heap: the JVM may move a heap array while native code reads it, which would corrupt it.
    ByteBuffer from = ByteBuffer.allocateDirect(bytes.remaining()).put(bytes).flip();
    ByteBuffer to = ByteBuffer.allocateDirect(expanded.length);
    try {
      Zstd.decompress(to, from);
    } catch (ZstdException e) {
      throw new IOException("a block that zstd cannot read: " + e.getMessage(), e);
    }
    if (to.flip().remaining() != expanded.length) {
      throw new IOException(
          "a block of %d bytes instead of %d".formatted(to.limit(), expanded.length));
    }
    to.get(expanded);
  }

  private static void lz4(byte[] from, int start, int end, byte[] to) throws IOException {
    try {
      int in = start;
      int out = 0;
      while (in < end) {
        int token = from[in++] & 0xff;
        int literals = token >>> 4;
        if (literals == LENGTH_ON) {
          int more;
          do {
            more = from[in++] & 0xff;
            literals += more;
          } while (more == 0xff);
        }
        System.arraycopy(from, in, to, out, literals);
        in += literals;
        out += literals;
        if (in >= end) {
          break;
        }
        int distance = (from[in] & 0xff) | ((from[in + 1] & 0xff) << 8);
        in += 2;
        int match = token & LENGTH_ON;
        if (match == LENGTH_ON) {
          int more;
          do {
            more = from[in++] & 0xff;
            match += more;
          } while (more == 0xff);
        }
        match += MATCH_MIN;
        // A match may overlap its own output.
        for (int i = 0; i < match; i++, out++) {
          to[out] = to[out - distance];
        }
      }
      if (out != to.length) {
        throw new IOException("a block of %d bytes instead of %d".formatted(out, to.length));
      }
    } catch (IndexOutOfBoundsException e) {
      throw new IOException("a block that lz4 cannot read", e);
    }
  }
}
