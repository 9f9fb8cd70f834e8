package dev.varve.server.compression;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Compresses into one member of gzip. For one thread at a time. Source: <a
 * href="https://www.rfc-editor.org/rfc/rfc1952">RFC 1952</a>.
 */
public final class GzipOutput extends OutputStream {
  private static final int BUFFER = 16 << 10;

  /** Deflate without flags, time and level, for an unknown system. */
  private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};

  private final OutputStream out;

  /** Shared, because one thread may write an answer and another one end it. */
  private final Arena arena = Arena.ofShared();

  private final Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
  private final byte[] chunk = new byte[BUFFER];
  private final ByteBuffer source = arena.allocate(BUFFER).asByteBuffer();
  private final ByteBuffer target = arena.allocate(BUFFER).asByteBuffer();
  private final CRC32 checksum = new CRC32();
  private boolean begun;
  private boolean closed;

  public GzipOutput(OutputStream out) {
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
        compress(Deflater.NO_FLUSH);
      }
    }
  }

  @Override
  public void flush() throws IOException {
    requireOpen();
    compress(Deflater.SYNC_FLUSH);
    out.flush();
  }

  /** Passes everything that was written to the encoder, and its output to the stream below. */
  private void compress(int flush) throws IOException {
    if (!begun) {
      begun = true;
      out.write(HEADER);
    }
    source.flip();
    try {
      checksum.update(source.duplicate());
      deflater.setInput(source);
      do {
        target.clear();
        deflater.deflate(target, flush);
        target.flip();
        int count = target.remaining();
        target.get(chunk, 0, count);
        out.write(chunk, 0, count);
        // An encoder that leaves room in the target has no more output for now.
      } while (target.limit() == target.capacity());
    } finally {
      source.clear();
    }
  }

  private void end() throws IOException {
    deflater.finish();
    compress(Deflater.NO_FLUSH);
    target.clear();
    putInteger((int) checksum.getValue());
    putInteger((int) deflater.getBytesRead());
    target.flip();
    int count = target.remaining();
    target.get(chunk, 0, count);
    out.write(chunk, 0, count);
  }

  private void putInteger(int value) {
    target.putInt(Integer.reverseBytes(value));
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
      end();
    } finally {
      closed = true;
      deflater.end();
      arena.close();
    }
  }
}
