package dev.varve.server.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream that fails with 413 if it has more than a number of bytes. */
public final class LimitedInput extends FilterInputStream {
  private final long max;
  private final String what;
  private long count;

  /**
   * Creates the stream.
   *
   * @param what name of the content, for the message
   */
  public LimitedInput(InputStream in, long max, String what) {
    super(in);
    this.max = max;
    this.what = what;
  }

  long count() {
    return count;
  }

  @Override
  public int read() throws IOException {
    int b = super.read();
    if (b >= 0) {
      count(1);
    }
    return b;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    int n = super.read(buffer, offset, length);
    if (n > 0) {
      count(n);
    }
    return n;
  }

  @Override
  public long skip(long n) throws IOException {
    long skipped = super.skip(n);
    count(skipped);
    return skipped;
  }

  @Override
  public boolean markSupported() {
    return false;
  }

  private void count(long more) {
    count += more;
    if (count > max) {
      throw tooLarge(what, max);
    }
  }

  static HttpError tooLarge(String what, long max) {
    return new HttpError(
        413,
        "the %s is larger than %d bytes, which is the most that is taken".formatted(what, max));
  }
}
