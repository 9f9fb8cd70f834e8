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
 * A body that has come in whole, as it was sent, in pieces that are reserved one by one as they
 * come, and given back as they are read. For one thread.
 */
final class ReceivedBody extends InputStream {
  private static final int PIECE_MIN = 4 << 10;
  private static final int PIECE_MAX = 64 << 10;

  /** All are full but the last, of which {@link #lastLength} bytes count. */
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
   * Receives all there is.
   *
   * @throws OverBudgetException where there is no room for it; nothing of it is held then
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
      // Whether there is more is known before there is room for it.
      first = lastLength < size ? -1 : in.read();
    }
  }

  /** Bytes that are still to be read. */
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

  /** The same bytes, of which reading gives nothing back; nothing is read of this meanwhile. */
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

  /** Gives back what was not read. */
  @Override
  public void close() {
    while (!pieces.isEmpty()) {
      drop();
    }
    length = 0;
  }
}
