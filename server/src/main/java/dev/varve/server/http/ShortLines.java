package dev.varve.server.http;

import dev.varve.server.http.WriteBudget.Reservation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads the lines of a body. Long lines reserve memory as they grow. */
public final class ShortLines implements AutoCloseable {
  /** Maximum number of characters of a line. */
  public static final int MAX = 1 << 20;

  private static final int BYTES_MAX = 4 * MAX;

  /** Bytes that every request may use without a reservation. */
  private static final int FREE = 8 << 10;

  /**
   * Memory per byte of a line: itself, up to two for its text, one for the text's bytes, and one
   * for the growth of buffers.
   */
  private static final int MEMORY_PER_BYTE = 5;

  /** Memory of one parsed part of a line, such as a label or a field. */
  private static final int PART_BYTES = 200;

  /** Number of parts that every line may have without a reservation. */
  private static final int PARTS_FREE = 64;

  private static final char REPLACEMENT = '\uFFFD';

  private static final int BUFFER = 16 << 10;

  private final InputStream in;
  private final HeldPart memory;

  /** Bytes of the body that are not a line yet: from {@code at} to {@code limit}. */
  private final byte[] buffer = new byte[BUFFER];

  private int at;
  private int limit;

  /** A line that is in more than one buffer. */
  private byte[] longLine = new byte[1 << 10];

  private byte[] line = buffer;
  private int from;
  private int to;
  private int number;
  private boolean text;

  /** Characters and parts of the current line so far. */
  private int characters;

  private int parts;

  /**
   * Creates a reader.
   *
   * @param memory reservation for long lines
   */
  public ShortLines(InputStream body, Reservation memory) {
    this.in = body;
    this.memory = new HeldPart(memory);
  }

  /** Returns the number of the last line, from 1. */
  public int number() {
    return number;
  }

  /**
   * Returns whether the last line is UTF-8. If not, {@link #next} returned it with replacement
   * characters.
   */
  public boolean isText() {
    return text;
  }

  /** Returns the array that contains the last line, valid until the next one. */
  public byte[] bytes() {
    return line;
  }

  /** Returns the index of the first byte of the last line. */
  public int from() {
    return from;
  }

  /** Returns the index after the last byte of the last line. */
  public int to() {
    return to;
  }

  /**
   * Returns the next line without its end; null after the last one.
   *
   * @throws HttpError 413 if it is longer than {@link #MAX}
   * @throws OverBudgetException if there is no room for it
   */
  public @Nullable String next() throws IOException {
    return advance() ? new String(line, from, to - from, StandardCharsets.UTF_8) : null;
  }

  /**
   * Goes to the next line; false after the last one.
   *
   * @throws HttpError 413 if it is longer than {@link #MAX}
   * @throws OverBudgetException if there is no room for it
   */
  public boolean advance() throws IOException {
    memory.letGo();
    if (longLine.length > FREE) {
      longLine = new byte[FREE];
    }
    if (at == limit && !fill()) {
      return false;
    }
    number++;
    characters = 0;
    parts = 0;
    int end = scan();
    if (end < limit) {
      line = buffer;
      from = at;
      to = end;
      at = end + 1;
    } else {
      gather(end);
    }
    if (parts > PARTS_FREE) {
      memory.hold((long) PART_BYTES * parts);
    }
    text = isAscii() || isUtf8();
    return true;
  }

  private boolean fill() throws IOException {
    int read = in.read(buffer, 0, buffer.length);
    at = 0;
    limit = Math.max(0, read);
    return read > 0;
  }

  /** Counts the rest of the line in the buffer and returns the index of its end. */
  private int scan() {
    int end = at;
    for (; end < limit && buffer[end] != '\n'; end++) {
      byte b = buffer[end];
      // Continuation bytes are not counted.
      characters += (b & 0xc0) == 0x80 ? 0 : 1;
      parts += b == '=' || b == ',' ? 1 : 0;
    }
    return end;
  }

  /**
   * Collects a line whose rest is in later buffers.
   *
   * @param first index after its bytes in this buffer
   */
  private void gather(int first) throws IOException {
    int length = 0;
    int end = first;
    while (true) {
      length = add(end, length);
      boolean whole = end < limit;
      at = whole ? end + 1 : limit;
      if (whole || !fill()) {
        break;
      }
      end = scan();
    }
    line = longLine;
    from = 0;
    to = length;
  }

  private int add(int end, int length) {
    int more = end - at;
    if (characters > MAX || length + more > BYTES_MAX) {
      throw new HttpError(
          413,
          "line %d is longer than %d characters, which is the most that is taken"
              .formatted(number, MAX));
    }
    while (length + more > longLine.length) {
      int size = Math.min(2 * longLine.length, BYTES_MAX);
      if (size > FREE) {
        memory.hold((long) MEMORY_PER_BYTE * (size - longLine.length));
      }
      longLine = Arrays.copyOf(longLine, size);
    }
    System.arraycopy(buffer, at, longLine, length, more);
    return length + more;
  }

  private boolean isAscii() {
    for (int i = from; i < to; i++) {
      if (line[i] < 0) {
        return false;
      }
    }
    return true;
  }

  private boolean isUtf8() {
    String read = new String(line, from, to - from, StandardCharsets.UTF_8);
    if (read.indexOf(REPLACEMENT) < 0) {
      return true;
    }
    byte[] again = read.getBytes(StandardCharsets.UTF_8);
    return Arrays.equals(again, 0, again.length, line, from, to);
  }

  @Override
  public void close() throws IOException {
    memory.letGo();
    in.close();
  }
}
