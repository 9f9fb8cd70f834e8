package dev.varve.server.compression;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A stream that an encoder reads from one buffer outside the heap and writes through another one.
 * Closing it releases both at once. For one thread at a time.
 */
abstract class EncodingOutput extends OutputStream {
  /** The output that an encoder must emit after it has read the source. */
  enum Flush {
    NONE,
    /** All output for what it has read so far. */
    SYNC,
    /** The same, and the end. */
    END
  }

  private final OutputStream out;

  /** Shared, because one thread may write an answer and another one end it. */
  private final Arena arena = Arena.ofShared();

  private final byte[] chunk;

  /** Bytes that the encoder has not read yet. */
  final ByteBuffer source;

  /** Encoded bytes on their way to the stream below. */
  final ByteBuffer target;

  private boolean closed;

  /**
   * @param bufferSize size of each buffer in bytes
   */
  EncodingOutput(OutputStream out, int bufferSize) {
    this.out = out;
    this.chunk = new byte[bufferSize];
    this.source = arena.allocate(bufferSize).asByteBuffer();
    this.target = arena.allocate(bufferSize).asByteBuffer();
  }

  /** Reads all of the source, and {@linkplain #emit emits} the output. */
  abstract void encode(Flush flush) throws IOException;

  /** Releases the encoder. Called once. */
  abstract void endEncoder();

  @Override
  public final void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public final void write(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    requireOpen();
    int from = offset;
    int end = offset + length;
    while (from < end) {
      int count = Math.min(end - from, source.remaining());
      source.put(bytes, from, count);
      from += count;
      if (!source.hasRemaining()) {
        encodeSource(Flush.NONE);
      }
    }
  }

  @Override
  public final void flush() throws IOException {
    requireOpen();
    encodeSource(Flush.SYNC);
    out.flush();
  }

  private void encodeSource(Flush flush) throws IOException {
    source.flip();
    try {
      encode(flush);
    } finally {
      source.clear();
    }
  }

  /** Passes the content of the target, up to its position, to the stream below. */
  final void emit() throws IOException {
    target.flip();
    int count = target.remaining();
    target.get(chunk, 0, count);
    out.write(chunk, 0, count);
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the stream is closed");
    }
  }

  @Override
  public final void close() throws IOException {
    if (closed) {
      return;
    }
    try (out) {
      encodeSource(Flush.END);
    } finally {
      closed = true;
      endEncoder();
      arena.close();
    }
  }
}
