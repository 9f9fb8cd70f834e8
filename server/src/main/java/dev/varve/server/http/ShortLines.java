package dev.varve.server.http;

import dev.varve.server.http.WriteBudget.Reservation;
import java.io.BufferedInputStream;
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

  private final InputStream in;
  private final HeldPart memory;
  private byte[] line = new byte[1 << 10];
  private int length;
  private int number;
  private boolean text;

  /**
   * Creates a reader.
   *
   * @param memory reservation for long lines
   */
  public ShortLines(InputStream body, Reservation memory) {
    this.in = new BufferedInputStream(body, 16 << 10);
    this.memory = new HeldPart(memory);
  }

  /** Returns the number of the last line, from 1. */
  public int number() {
    return number;
  }

  /**
   * Returns whether the last line is UTF-8. If not, it was returned with replacement characters.
   */
  public boolean isText() {
    return text;
  }

  /**
   * Returns the next line without its end; null after the last one.
   *
   * @throws HttpError 413 if it is longer than {@link #MAX}
   * @throws OverBudgetException if there is no room for it
   */
  public @Nullable String next() throws IOException {
    memory.letGo();
    if (line.length > FREE) {
      line = new byte[FREE];
    }
    int b = in.read();
    if (b < 0) {
      return null;
    }
    number++;
    length = 0;
    int characters = 0;
    int parts = 0;
    for (; b >= 0 && b != '\n'; b = in.read()) {
      // Continuation bytes are not counted.
      characters += (b & 0xc0) == 0x80 ? 0 : 1;
      if (characters > MAX || length == BYTES_MAX) {
        throw new HttpError(
            413,
            "line %d is longer than %d characters, which is the most that is taken"
                .formatted(number, MAX));
      }
      parts += b == '=' || b == ',' ? 1 : 0;
      add((byte) b);
    }
    if (parts > PARTS_FREE) {
      memory.hold((long) PART_BYTES * parts);
    }
    String read = new String(line, 0, length, StandardCharsets.UTF_8);
    text = read.indexOf(REPLACEMENT) < 0 || isLine(read.getBytes(StandardCharsets.UTF_8));
    return read;
  }

  private void add(byte b) {
    if (length == line.length) {
      int size = Math.min(2 * length, BYTES_MAX);
      if (size > FREE) {
        memory.hold((long) MEMORY_PER_BYTE * (size - length));
      }
      line = Arrays.copyOf(line, size);
    }
    line[length++] = b;
  }

  private boolean isLine(byte[] bytes) {
    return Arrays.equals(bytes, 0, bytes.length, line, 0, length);
  }

  @Override
  public void close() throws IOException {
    memory.letGo();
    in.close();
  }
}
