package dev.varve.server.feed;

import dev.varve.server.http.OverBudgetException;
import dev.varve.server.http.WriteBudget.Reservation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Reads lines from a stream within bounded memory: {@link #fill} waits for bytes, then {@link
 * #next} iterates over complete lines. Not thread-safe.
 *
 * <p>Every connection has 8 KiB of its own. A longer line reserves memory as it grows, and is
 * dropped if there is none. Between lines a connection holds at most these 8 KiB.
 */
public final class LineBuffer {
  private static final int FIRST_SIZE = 8 << 10;

  /** Beginnings of the request lines that a browser sends. */
  private static final List<String> METHODS =
      List.of("GET /", "POST /", "HEAD /", "PUT /", "PATCH /", "DELETE /", "OPTIONS ");

  private static final int METHOD_MAX = 9;

  private final int lineMax;
  private final Reservation memory;
  private byte[] buffer = new byte[FIRST_SIZE];
  private int filled;
  private int start;
  private int searched;
  private int from;
  private int to;
  private boolean tooLong;

  /** Index of the first byte of the last line that was too long. */
  private int beginOfTooLong;

  /** Why there is no memory for the current line; empty while there is. */
  private String noRoom = "";

  /** Why there was no memory for the last returned line. */
  private String dropped = "";

  /** Whether the rest of a line that was too long must still be skipped. */
  private boolean skipping;

  /**
   * Creates a buffer.
   *
   * @param lineMax maximum length of a returned line in bytes, at least 8 KiB
   * @param memory reservation for longer lines
   */
  public LineBuffer(int lineMax, Reservation memory) {
    this.lineMax = lineMax;
    this.memory = memory;
  }

  /**
   * Reads received bytes, at least one.
   *
   * @return false at the end of the stream. Bytes after the last line end are not a line, because
   *     half a number may be missing
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

  /** Drops consumed bytes, and shrinks the buffer after a long line. */
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

  /** Makes room for more of the current line; returns false if there is no memory. */
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

  /** Moves to the next complete line; returns false if there is none. */
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
      beginOfTooLong = start;
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
   * Returns whether the line may begin an HTTP request. A web page can send a body of lines, but
   * only after the request line of a browser. For a truncated line, the start decides.
   */
  public boolean mayBeHttp() {
    if (!tooLong) {
      String end = text(Math.max(from, to - " HTTP/1.1".length()), to);
      return end.endsWith(" HTTP/1.1") || end.endsWith(" HTTP/1.0");
    }
    String begin = text(beginOfTooLong, Math.min(filled, beginOfTooLong + METHOD_MAX));
    return METHODS.stream().anyMatch(begin::startsWith);
  }

  private String text(int begin, int end) {
    return new String(buffer, begin, end - begin, StandardCharsets.ISO_8859_1);
  }

  /**
   * Returns whether an incomplete line is left. At the end of the stream it is a truncated line.
   */
  public boolean hasRest() {
    return filled > start;
  }

  /** Returns the array that holds the line until the next call of {@link #fill}. */
  public byte[] bytes() {
    return buffer;
  }

  /** Returns the index of the first byte of the line. */
  public int from() {
    return from;
  }

  /** Returns the index after the last byte of the line, without its line end. */
  public int to() {
    return to;
  }

  /**
   * Returns why there was no memory for the line that is too long; empty if it exceeds the maximum
   * length.
   */
  public String dropped() {
    return dropped;
  }

  /** Returns whether there was a line here that is too long to be returned. */
  public boolean tooLong() {
    return tooLong;
  }
}
