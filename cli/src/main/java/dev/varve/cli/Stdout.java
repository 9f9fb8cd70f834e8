package dev.varve.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Standard output that fails aloud. Behind {@link System#out} and a {@link java.io.PrintWriter} an
 * error would be lost: a command would go on for nobody, or end well on a disk that is full.
 */
final class Stdout extends OutputStream {
  private final OutputStream out;

  Stdout() {
    this(new FileOutputStream(FileDescriptor.out));
  }

  Stdout(OutputStream out) {
    this.out = out;
  }

  /** What is written goes nowhere. */
  static final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final boolean readerGone;

    private FailedException(IOException cause) {
      super("cannot write to stdout: " + cause.getMessage(), cause);
      this.readerGone = String.valueOf(cause.getMessage()).contains("Broken pipe");
    }

    /** Whether it was a pipe whose reader had enough, such as {@code head}. */
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
