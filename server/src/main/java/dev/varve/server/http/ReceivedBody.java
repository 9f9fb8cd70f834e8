package dev.varve.server.http;

import dev.varve.server.http.WriteBudget.Reservation;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A body that has arrived completely. It consists of pieces that are reserved one by one as they
 * arrive and released as they are read. For one thread.
 */
final class ReceivedBody extends InputStream {
  private static final int PIECE_MIN = 4 << 10;
  private static final int PIECE_MAX = 64 << 10;

  /** The pieces. All are full except the last one, which has {@link #lastLength} bytes. */
  private final Deque<byte[]> pieces = new ArrayDeque<>();

  private final Reservation memory;
  private final byte[] one = new byte[1];
  private int lastLength;
  private long length;
  private int at;

  private ReceivedBody(Reservation memory) {
    this.memory = memory;
  }

  /**
   * Receives a whole body.
   *
   * @throws OverBudgetException if there is no room for it, in which case nothing is held
   */
  static ReceivedBody receive(InputStream in, Reservation memory) throws IOException {
    ReceivedBody body = new ReceivedBody(memory);
    boolean whole = false;
    try {
      body.fill(in);
      whole = true;
      return body;
    } finally {
      if (!whole) {
        body.close();
      }
    }
  }

  private void fill(InputStream in) throws IOException {
    byte @Nullable [] piece = null;
    int first = in.read();
    while (first >= 0) {
      int size = Math.clamp(length, PIECE_MIN, PIECE_MAX);
      memory.holdWaiting(size);
      piece = new byte[size];
      pieces.add(piece);
      piece[0] = (byte) first;
      lastLength = 1;
      lastLength += in.readNBytes(piece, 1, size - 1);
      length += lastLength;
      // Reads one byte more before it reserves the next piece.
      first = lastLength < size ? -1 : in.read();
    }
  }

  /** Returns the number of unread bytes. */
  long left() {
    return length;
  }

  @Override
  public int read() {
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int wanted) {
    Objects.checkFromIndexSize(offset, wanted, into.length);
    if (length == 0) {
      return wanted == 0 ? 0 : -1;
    }
    byte[] piece = pieces.element();
    int end = pieces.size() == 1 ? lastLength : piece.length;
    int count = Math.min(wanted, end - at);
    System.arraycopy(piece, at, into, offset, count);
    at += count;
    length -= count;
    if (at == end) {
      drop();
    }
    return count;
  }

  private void drop() {
    memory.letGo(pieces.remove().length);
    at = 0;
  }

  @Override
  public int available() {
    return (int) Math.min(length, Integer.MAX_VALUE);
  }

  /**
   * Returns a stream over the same bytes that releases nothing. This body must not be read
   * meanwhile.
   */
  InputStream ahead() {
    List<InputStream> streams = new ArrayList<>();
    int from = at;
    for (byte[] piece : pieces) {
      int end = streams.size() == pieces.size() - 1 ? lastLength : piece.length;
      streams.add(new ByteArrayInputStream(piece, from, end - from));
      from = 0;
    }
    return new SequenceInputStream(Collections.enumeration(streams));
  }

  /** Releases the unread pieces. */
  @Override
  public void close() {
    while (!pieces.isEmpty()) {
      drop();
    }
    length = 0;
  }
}
