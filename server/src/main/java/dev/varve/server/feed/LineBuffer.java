package dev.varve.server.feed;

import dev.varve.server.http.OverBudgetException;
import dev.varve.server.http.WriteBudget.Reservation;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Takes lines out of a stream, none of which can fill the memory: {@link #fill} waits for bytes,
 * then {@link #next} goes through the lines that are whole. Not safe for use by several threads.
 *
 * <p>The first 8 KiB are every connection's own. A longer line is reserved as it grows; one that
 * finds no room is dropped. Between lines a connection holds no more than these 8 KiB.
 */
public final class LineBuffer {
  private static final int FIRST_SIZE = 8 << 10;

  private final int lineMax;
  private final Reservation memory;
  private byte[] buffer = new byte[FIRST_SIZE];
  private int filled;
  private int start;
  private int searched;
  private int from;
  private int to;
  private boolean tooLong;

  /** Why there is no room for the line at hand; empty as long as there is. */
  private String noRoom = "";

  /** Why there was none for the line that was given out last. */
  private String dropped = "";

  /** Whether the rest of a line that was too long is still to come. */
  private boolean skipping;

  /**
   * @param lineMax bytes of the longest line that is given out, 8 KiB at least
   * @param memory in which longer lines count
   */
  public LineBuffer(int lineMax, Reservation memory) {
    this.lineMax = lineMax;
    this.memory = memory;
  }

  /**
   * Reads what has come, at least one byte.
   *
   * @return false at the end of the stream; what stands behind the last line end is no line, since
   *     what is missing of it may be half a number
   */
  public boolean fill(InputStream in) throws IOException {
    compact();
    if (filled == buffer.length && !grow()) {
      return true;
    }
    int read = in.read(buffer, filled, buffer.length - filled);
    filled += Math.max(0, read);
    return read >= 0;
  }

  /** Drops what was given out, and the room of a long line behind which little has come. */
  private void compact() {
    int left = filled - start;
    boolean shrinks = buffer.length > FIRST_SIZE && left <= FIRST_SIZE / 2;
    byte[] into = shrinks ? new byte[FIRST_SIZE] : buffer;
    System.arraycopy(buffer, start, into, 0, left);
    if (shrinks) {
      memory.letGo(buffer.length);
    }
    buffer = into;
    filled = left;
    searched -= start;
    start = 0;
  }

  /** Makes room for more of the line at hand; false if there is none. */
  private boolean grow() {
    int before = buffer.length;
    int size = Math.min(lineMax, 2 * before);
    try {
      memory.holdWaiting(size);
    } catch (OverBudgetException e) {
      noRoom = String.valueOf(e.getMessage());
      return false;
    }
    buffer = Arrays.copyOf(buffer, size);
    memory.letGo(before > FIRST_SIZE ? before : 0);
    return true;
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
    if (filled - start >= lineMax || !noRoom.isEmpty()) {
      dropped = noRoom;
      noRoom = "";
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

  /**
   * Why there was no room for the line that is too long; empty where it is longer than any may be.
   */
  public String dropped() {
    return dropped;
  }

  /** Whether there was a line here that is too long to be given out. */
  public boolean tooLong() {
    return tooLong;
  }
}
