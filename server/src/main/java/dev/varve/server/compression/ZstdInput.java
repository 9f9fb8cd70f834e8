package dev.varve.server.compression;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdIOException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Decompresses one or more frames of zstd. For one thread at a time.
 *
 * <p>The decoder is native code and only accesses memory outside the heap, never an array (see
 * {@code docs/decisions.md}). An open stream holds two buffers of {@link #BUFFER} bytes and the
 * window of the frame, all outside the heap. Closing it releases them at once.
 */
public final class ZstdInput extends InputStream {
  private static final int BUFFER = 32 << 10;

  private final InputStream in;

  /** Shared, because one thread may read a body and another one close it. */
  private final Arena arena = Arena.ofShared();

  private final ZstdDecompressCtx decoder = new ZstdDecompressCtx();
  private final byte[] chunk = new byte[BUFFER];
  private final ByteBuffer source = arena.allocate(BUFFER).asByteBuffer().limit(0);
  private final ByteBuffer target = arena.allocate(BUFFER).asByteBuffer().limit(0);

  /** Whether the bytes read so far end with a whole frame. */
  private boolean whole = true;

  private boolean closed;

  /**
   * Creates a stream over compressed bytes.
   *
   * @param windowLogMax binary logarithm of the largest permitted window in bytes
   */
  public ZstdInput(InputStream in, int windowLogMax) {
    this.in = in;
    decoder.setLongMax(windowLogMax);
  }

  @Override
  public int read() throws IOException {
    return fill() ? target.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int count = Math.min(length, target.remaining());
    target.get(bytes, offset, count);
    return count;
  }

  @Override
  public int available() {
    return closed ? 0 : target.remaining();
  }

  /** Fills the target with decoded bytes; false at the end. */
  private boolean fill() throws IOException {
    if (closed) {
      throw new IOException("the stream is closed");
    }
    while (!target.hasRemaining()) {
      if (!source.hasRemaining() && whole && !refill()) {
        return false;
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
    return true;
  }

  private boolean refill() throws IOException {
    int count = in.read(chunk, 0, chunk.length);
    if (count < 0) {
      return false;
    }
    source.clear().put(chunk, 0, count).flip();
    return true;
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      decoder.close();
      arena.close();
      in.close();
    }
  }
}
