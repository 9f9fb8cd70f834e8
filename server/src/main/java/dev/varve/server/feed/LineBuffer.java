package dev.varve.server.feed;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Takes lines out of a stream, none of which can fill the memory: {@link #fill} waits for bytes,
 * then {@link #next} goes through the lines that are whole. Not safe for use by several threads.
 */
public final class LineBuffer {
  private static final int FIRST_SIZE = 8 << 10;

  private final int lineMax;
  private byte[] buffer = new byte[FIRST_SIZE];
  private int filled;
  private int start;
  private int searched;
  private int from;
  private int to;
  private boolean tooLong;

  /** Whether the rest of a line that was too long is still to come. */
  private boolean skipping;

  /**
   * @param lineMax bytes of the longest line that is given out, 8 KiB at least
   */
  public LineBuffer(int lineMax) {
    this.lineMax = lineMax;
  }

  /**
   * Reads what has come, at least one byte.
   *
   * @return false at the end of the stream; what stands behind the last line end is no line, since
   *     what is missing of it may be half a number
   */
  public boolean fill(InputStream in) throws IOException {
    System.arraycopy(buffer, start, buffer, 0, filled - start);
    filled -= start;
    searched -= start;
    start = 0;
    if (filled == buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.min(lineMax, 2 * buffer.length));
    }
    int read = in.read(buffer, filled, buffer.length - filled);
    filled += Math.max(0, read);
    return read >= 0;
  }

  /** Moves to the next line; false where none is whole. */
  public boolean next() {
    for (int at = searched; at < filled; at++) {
      if (buffer[at] == '\n') {
        int begin = start;
        start = at + 1;
        searched = start;
        if (!skipping) {
          return line(begin, at, false);
        }
        skipping = false;
      }
    }
    searched = filled;
    if (skipping) {
      start = filled;
      return false;
    }
    if (filled - start >= lineMax) {
      skipping = true;
      start = filled;
      return line(filled, filled, true);
    }
    return false;
  }

  private boolean line(int begin, int end, boolean isTooLong) {
    from = begin;
    to = end > begin && buffer[end - 1] == '\r' ? end - 1 : end;
    tooLong = isTooLong;
    return true;
  }

  /**
   * Whether bytes are left that are no whole line: at the end of the stream, one that is cut off.
   */
  public boolean hasRest() {
    return filled > start;
  }

  /** Holds the line until the next call of {@link #fill}. */
  public byte[] bytes() {
    return buffer;
  }

  /** The first byte of the line. */
  public int from() {
    return from;
  }

  /** Behind the line's last byte, without the line end. */
  public int to() {
    return to;
  }

  /** Whether there was a line here that is too long to be given out. */
  public boolean tooLong() {
    return tooLong;
  }
}
