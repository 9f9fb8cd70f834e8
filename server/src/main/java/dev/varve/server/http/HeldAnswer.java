package dev.varve.server.http;

import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer: held back at first, so that an error can replace it, and compressed if the
 * client accepts it.
 */
final class HeldAnswer extends OutputStream {
  private static final int ANSWER_BUFFER = 32 << 10;

  /** Minimum length of an answer that is compressed. */
  private static final int COMPRESSED_MIN = 1 << 10;

  private final Exchange exchange;
  private @Nullable ByteArrayOutputStream held = new ByteArrayOutputStream(1 << 10);
  private volatile @Nullable OutputStream target;
  private @Nullable Cut cut;
  private boolean closed;
  private long written;

  HeldAnswer(Exchange exchange) {
    this.exchange = exchange;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    if (closed) {
      throw new IOException("the answer is closed");
    }
    written += length;
    if (held != null && held.size() + length > ANSWER_BUFFER) {
      start(-1);
    }
    OutputStream begun = target;
    if (held != null) {
      held.write(bytes, offset, length);
    } else if (begun != null) {
      begun.write(bytes, offset, length);
    }
  }

  private void start(long length) throws IOException {
    ByteArrayOutputStream early = held;
    held = null;
    Coding coding = coding(length);
    exchange.vary("Accept-Encoding");
    OutputStream begun;
    if (coding == Coding.IDENTITY) {
      begun = new ToClient(exchange.commit(length));
    } else {
      exchange.header("Content-Encoding", coding.token());
      Cut out = new Cut(new ToClient(exchange.commit(-1)));
      cut = out;
      begun = coding.into(out);
    }
    target = begun;
    if (early != null) {
      early.writeTo(begun);
    }
  }

  @Override
  public void flush() throws IOException {
    OutputStream begun = target;
    if (begun != null) {
      begun.flush();
    }
  }

  @Override
  public void close() {
    closed = true;
  }

  /** Sends what is held, and ends the body. */
  void finish() throws IOException {
    closed = true;
    if (held != null) {
      start(held.size());
    }
    OutputStream begun = target;
    if (begun != null) {
      begun.close();
    }
  }

  /** Ends compression if the answer was broken off. */
  void release() {
    OutputStream begun = target;
    if (begun != null && cut != null) {
      cut.off = true;
      try {
        begun.close();
      } catch (IOException e) {
        throw new UncheckedIOException("a stream into nothing failed", e);
      }
    }
  }

  /** Returns whether the answer can no longer be changed. */
  boolean isStarted() {
    return target != null;
  }

  /** Returns the bytes so far, before compression. */
  long written() {
    return written;
  }

  /**
   * Chooses the coding; short answers and those that the handler compressed itself are sent
   * unchanged.
   */
  private Coding coding(long length) {
    boolean asItIs =
        exchange.hasHeader("Content-Encoding") || (length >= 0 && length < COMPRESSED_MIN);
    return asItIs ? Coding.IDENTITY : Coding.best(exchange.header("Accept-Encoding"));
  }

  /**
   * Marks failures to write the answer, so that they can be distinguished from other {@link
   * IOException}s.
   */
  private static final class ToClient extends OutputStream {
    private final OutputStream out;

    ToClient(OutputStream out) {
      this.out = out;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      try {
        out.write(bytes, offset, length);
      } catch (IOException e) {
        throw new ClientGoneException(e);
      }
    }

    @Override
    public void flush() throws IOException {
      try {
        out.flush();
      } catch (IOException e) {
        throw new ClientGoneException(e);
      }
    }

    @Override
    public void close() throws IOException {
      try {
        out.close();
      } catch (IOException e) {
        throw new ClientGoneException(e);
      }
    }
  }

  /** Passes on bytes until it is cut off. */
  private static final class Cut extends FilterOutputStream {
    private boolean off;

    Cut(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int b) throws IOException {
      if (!off) {
        out.write(b);
      }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (!off) {
        out.write(bytes, offset, length);
      }
    }

    @Override
    public void flush() throws IOException {
      if (!off) {
        out.flush();
      }
    }

    @Override
    public void close() throws IOException {
      if (!off) {
        off = true;
        out.close();
      }
    }
  }
}
