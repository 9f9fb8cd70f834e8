package dev.varve.server.http;

import dev.varve.server.http.WriteBudget.Reservation;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The lines of a body, none of which can fill the memory. Long ones are reserved as they grow. */
public final class ShortLines implements AutoCloseable {
  /** So many characters a line may have. */
  public static final int MAX = 1 << 20;

  private static final int BYTES_MAX = 4 * MAX;

  /** Every request has this much without asking. */
  private static final int FREE = 8 << 10;

  /**
   * What a byte of a line takes: itself, up to two for its text, one for the text's bytes, and one
   * for the room of the next lines.
   */
  private static final int MEMORY_PER_BYTE = 5;

  /** What one of the things that a line is made of takes once it is read: a label, a field. */
  private static final int PART_BYTES = 200;

  /** So many of them every line may have without asking. */
  private static final int PARTS_FREE = 64;

  private static final char REPLACEMENT = '\uFFFD';

  private final InputStream in;
  private final HeldPart memory;
  private byte[] line = new byte[1 << 10];
  private int length;
  private int number;
  private boolean text;

  /**
   * Prepares to read.
   *
   * @param memory in which long lines count
   */
  public ShortLines(InputStream body, Reservation memory) {
    this.in = new BufferedInputStream(body, 16 << 10);
    this.memory = new HeldPart(memory);
  }

  /** Of the line that was read last, from 1 on. */
  public int number() {
    return number;
  }

  /** Whether the line that was read last is UTF-8; if not, it was given out with replacements. */
  public boolean isText() {
    return text;
  }

  /**
   * The next line without its end, or null behind the last.
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
      // What goes on with a character is no other one.
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
