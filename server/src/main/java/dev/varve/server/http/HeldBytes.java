package dev.varve.server.http;

import dev.varve.server.http.WriteBudget.Reservation;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Byte arrays that are reserved before they are allocated. */
public final class HeldBytes {
  private static final int FIRST = 4 << 10;

  /** Bytes that every connection may use without a reservation. */
  private static final int FREE = 8 << 10;

  private HeldBytes() {}

  /**
   * Reads bytes from a client that may be slow. All but the first few remain reserved.
   *
   * @throws OverBudgetException if there is no room for them; what was read is lost
   * @throws EOFException if there are fewer
   */
  public static byte[] read(InputStream in, int length, Reservation memory) throws IOException {
    byte[] bytes = new byte[Math.min(length, FREE)];
    int filled = 0;
    while (true) {
      filled += in.readNBytes(bytes, filled, bytes.length - filled);
      if (filled < bytes.length) {
        throw new EOFException();
      }
      if (filled == length) {
        return bytes;
      }
      int size = Math.min(length, 2 * bytes.length);
      try {
        memory.holdWaiting(size);
      } catch (OverBudgetException e) {
        in.skipNBytes(length - filled);
        throw e;
      }
      int before = bytes.length;
      bytes = Arrays.copyOf(bytes, size);
      memory.letGo(before > FREE ? before : 0);
    }
  }

  /**
   * Reads a stream to its end. The bytes remain reserved.
   *
   * @param expected estimated number of bytes
   * @throws OverBudgetException if there is no room for them
   */
  public static byte[] readAll(InputStream in, int expected, Reservation memory)
      throws IOException {
    int size = Math.max(FIRST, expected);
    memory.hold(size);
    byte[] bytes = new byte[size];
    int filled = 0;
    while (true) {
      filled += in.readNBytes(bytes, filled, bytes.length - filled);
      if (filled < bytes.length) {
        memory.letGo(bytes.length - filled);
        return Arrays.copyOf(bytes, filled);
      }
      int more = in.read();
      if (more < 0) {
        return bytes;
      }
      // The larger array exists before the smaller one is released.
      memory.hold(2L * bytes.length);
      byte[] larger = Arrays.copyOf(bytes, 2 * bytes.length);
      memory.letGo(bytes.length);
      bytes = larger;
      bytes[filled++] = (byte) more;
    }
  }
}
