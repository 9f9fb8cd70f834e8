package dev.varve.server.compression;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdIOException;
import java.io.IOException;
import java.io.InputStream;

/**
 * Decompresses one or more frames of zstd. For one thread at a time.
 *
 * <p>The decoder is native code and only accesses memory outside the heap, never an array (see
 * {@code docs/decisions.md}). An open stream holds two buffers of {@link #BUFFER} bytes and the
 * window of the frame, all outside the heap. Closing it releases them at once.
 */
public final class ZstdInput extends DecodingInput {
  private static final int BUFFER = 32 << 10;

  private final ZstdDecompressCtx decoder = new ZstdDecompressCtx();

  /** Whether the bytes read so far end with a whole frame. */
  private boolean whole = true;

  /**
   * Creates a stream over compressed bytes.
   *
   * @param windowLogMax binary logarithm of the largest permitted window in bytes
   */
  public ZstdInput(InputStream in, int windowLogMax) {
    super(in, BUFFER);
    decoder.setLongMax(windowLogMax);
  }

  @Override
  void decode() throws IOException {
    while (!target.hasRemaining()) {
      if (!source.hasRemaining() && whole && !refill()) {
        return;
      }
      target.clear();
      int before = source.position();
      try {
        whole = decoder.decompressDirectByteBufferStream(target, source);
      } catch (ZstdException e) {
        target.limit(0);
        throw new ZstdIOException(e.getErrorCode(), String.valueOf(e.getMessage()));
      }
      target.flip();
      // The decoder may hold back decoded bytes; it needs more input only if it returns none.
      boolean stuck = !target.hasRemaining() && source.position() == before;
      if (stuck && !whole && !source.hasRemaining() && !refill()) {
        throw new ZstdIOException(Zstd.errSrcSizeWrong(), "the last frame is cut off");
      }
    }
  }

  @Override
  void endDecoder() {
    decoder.close();
  }
}
