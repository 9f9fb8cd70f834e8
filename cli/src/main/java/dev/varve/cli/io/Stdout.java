package dev.varve.cli.io;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Standard output that reports errors. {@link System#out} and a {@link java.io.PrintWriter} swallow
 * them: a command would continue without a reader, or succeed although the disk is full.
 */
public final class Stdout extends OutputStream {
  private final OutputStream out;

  public Stdout() {
    this(new FileOutputStream(FileDescriptor.out));
  }

  public Stdout(OutputStream out) {
    this.out = out;
  }

  /** Thrown if the output cannot be written. */
  public static final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final boolean readerGone;

    private FailedException(IOException cause) {
      super("cannot write to stdout: " + cause.getMessage(), cause);
      this.readerGone = String.valueOf(cause.getMessage()).contains("Broken pipe");
    }

    /** Returns whether the output was a pipe whose reader has stopped, such as {@code head}. */
    boolean isReaderGone() {
      return readerGone;
    }
  }

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      throw new FailedException(e);
    }
  }
}
