package dev.varve.server.compression;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdIOException;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Compresses into one frame of zstd. For one thread at a time.
 *
 * <p>The encoder is native code and only accesses memory outside the heap, never an array (see
 * {@code docs/decisions.md}). Closing the stream releases that memory at once.
 */
public final class ZstdOutput extends OutputStream {
  private static final int BUFFER = 32 << 10;

  private final OutputStream out;

  /** Shared, because one thread may write an answer and another one end it. */
  private final Arena arena = Arena.ofShared();

  private final ZstdCompressCtx encoder = new ZstdCompressCtx();
  private final byte[] chunk = new byte[BUFFER];
  private final ByteBuffer source = arena.allocate(BUFFER).asByteBuffer();
  private final ByteBuffer target = arena.allocate(BUFFER).asByteBuffer();
  private boolean closed;

  public ZstdOutput(OutputStream out) {
    this.out = out;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    requireOpen();
    int from = offset;
    int end = offset + length;
    while (from < end) {
      int count = Math.min(end - from, source.remaining());
      source.put(bytes, from, count);
      from += count;
      if (!source.hasRemaining()) {
        compress(EndDirective.CONTINUE);
      }
    }
  }

  @Override
  public void flush() throws IOException {
    requireOpen();
    compress(EndDirective.FLUSH);
    out.flush();
  }

  /** Passes everything that was written to the encoder, and its output to the stream below. */
  private void compress(EndDirective directive) throws IOException {
    source.flip();
    try {
      boolean done;
      do {
        target.clear();
        done = encoder.compressDirectByteBufferStream(target, source, directive);
        target.flip();
        int count = target.remaining();
        target.get(chunk, 0, count);
        out.write(chunk, 0, count);
      } while (directive == EndDirective.CONTINUE ? source.hasRemaining() : !done);
    } catch (ZstdException e) {
      throw new ZstdIOException(e.getErrorCode(), String.valueOf(e.getMessage()));
    } finally {
      source.clear();
    }
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the stream is closed");
    }
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    try (out) {
      compress(EndDirective.END);
    } finally {
      closed = true;
      encoder.close();
      arena.close();
    }
  }
}
