package dev.varve.cli.imports;

import dev.varve.server.compression.GzipInput;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * Reads the lines of a file or of stdin, plain or gzip; the first two bytes tell which. A line is a
 * range of {@link #bytes()} that is valid until the next call.
 */
final class LineSource implements AutoCloseable {
  private static final int LINE_MAX = 64 << 20;

  private final CountingInputStream raw;
  private final InputStream in;
  private byte[] buffer = new byte[1 << 18];
  private int from;
  private int to;
  private int filled;
  private boolean ended;
  private long number;

  private LineSource(InputStream source) throws IOException {
    this.raw = new CountingInputStream(source);
    BufferedInputStream peek = new BufferedInputStream(raw, 1 << 16);
    peek.mark(2);
    boolean gzip = peek.read() == 0x1f && peek.read() == 0x8b;
    peek.reset();
    this.in = gzip ? new GzipInput(peek) : peek;
  }

  static LineSource open(Path file) throws IOException {
    return new LineSource(file.toString().equals("-") ? System.in : Files.newInputStream(file));
  }

  /**
   * Advances to the next line.
   *
   * @return false if there is none
   * @throws IOException if reading fails, or a line is longer than 64 MiB
   */
  boolean next() throws IOException {
    from = number == 0 ? 0 : to + 1;
    int at = from;
    while (true) {
      while (at < filled && buffer[at] != '\n') {
        at++;
      }
      if (at < filled) {
        return line(at);
      }
      if (ended) {
        return from < filled && line(filled);
      }
      at -= fill();
    }
  }

  private boolean line(int end) {
    to = end;
    number++;
    return true;
  }

  /**
   * Moves the current line to the front of the buffer and reads more after it. Returns the distance
   * of the move.
   */
  private int fill() throws IOException {
    int moved = Math.min(from, filled);
    System.arraycopy(buffer, moved, buffer, 0, filled - moved);
    filled -= moved;
    from -= moved;
    if (filled == buffer.length) {
      if (buffer.length >= LINE_MAX) {
        throw new IOException("line " + (number + 1) + " is longer than 64 MiB");
      }
      buffer = Arrays.copyOf(buffer, 2 * buffer.length);
    }
    int read = in.read(buffer, filled, buffer.length - filled);
    if (read < 0) {
      ended = true;
    } else {
      filled += read;
    }
    return moved;
  }

  byte[] bytes() {
    return buffer;
  }

  int from() {
    return from;
  }

  int to() {
    return to;
  }

  /** Returns the number of the line, from 1. */
  long number() {
    return number;
  }

  /** Returns the number of bytes read from the file, before decompression. */
  long rawBytes() {
    return raw.count;
  }

  /** Returns the digest of these bytes. */
  byte[] digest() {
    return InputDigest.soFar(raw.digest);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  private static final class CountingInputStream extends InputStream {
    private final InputStream in;
    private final MessageDigest digest = InputDigest.begin();
    private long count;

    private CountingInputStream(InputStream in) {
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      int read = in.read();
      if (read >= 0) {
        count++;
        digest.update((byte) read);
      }
      return read;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int read = in.read(bytes, offset, length);
      if (read > 0) {
        count += read;
        digest.update(bytes, offset, read);
      }
      return read;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
