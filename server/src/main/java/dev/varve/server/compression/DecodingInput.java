package dev.varve.server.compression;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A stream that a decoder reads from one buffer outside the heap and fills through another one.
 * Closing it releases both at once. For one thread at a time.
 */
abstract class DecodingInput extends InputStream {
  private final InputStream in;

  /** Shared, because one thread may read a body and another one close it. */
  private final Arena arena = Arena.ofShared();

  private final byte[] chunk;

  /** Bytes that the decoder has not read yet. */
  final ByteBuffer source;

  /** Decoded bytes that the stream has not returned yet. */
  final ByteBuffer target;

  private boolean closed;

  /**
   * @param bufferSize size of each buffer in bytes
   */
  DecodingInput(InputStream in, int bufferSize) {
    this.in = in;
    this.chunk = new byte[bufferSize];
    this.source = arena.allocate(bufferSize).asByteBuffer().limit(0);
    this.target = arena.allocate(bufferSize).asByteBuffer().limit(0);
  }

  /** Fills the empty target with decoded bytes; leaves it empty at the end. */
  abstract void decode() throws IOException;

  /** Releases the decoder. Called once. */
  abstract void endDecoder();

  @Override
  public final int read() throws IOException {
    return fill() ? target.get() & 0xff : -1;
  }

  @Override
  public final int read(byte[] bytes, int offset, int length) throws IOException {
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
  public final int available() {
    return closed ? 0 : target.remaining();
  }

  private boolean fill() throws IOException {
    if (closed) {
      throw new IOException("the stream is closed");
    }
    if (!target.hasRemaining()) {
      decode();
    }
    return target.hasRemaining();
  }

  /** Fills the empty source; returns false at the end of the stream below. */
  final boolean refill() throws IOException {
    int count = in.read(chunk, 0, chunk.length);
    if (count < 0) {
      return false;
    }
    source.clear().put(chunk, 0, count).flip();
    return true;
  }

  @Override
  public final void close() throws IOException {
    if (!closed) {
      closed = true;
      endDecoder();
      arena.close();
      in.close();
    }
  }
}
