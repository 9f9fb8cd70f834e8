package dev.varve.server.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The lines of a body, none of which can fill the memory. */
public final class ShortLines implements AutoCloseable {
  /** So many characters a line may have. */
  public static final int MAX = 1 << 20;

  private static final int BYTES_MAX = 4 * MAX;
  private static final char REPLACEMENT = '\uFFFD';

  private final InputStream in;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private int number;
  private boolean text;

  public ShortLines(InputStream body) {
    this.in = new BufferedInputStream(body, 16 << 10);
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
   */
  public @Nullable String next() throws IOException {
    int b = in.read();
    if (b < 0) {
      return null;
    }
    number++;
    line.reset();
    int characters = 0;
    for (; b >= 0 && b != '\n'; b = in.read()) {
      // What goes on with a character is no other one.
      characters += (b & 0xc0) == 0x80 ? 0 : 1;
      if (characters > MAX || line.size() == BYTES_MAX) {
        throw new HttpError(
            413,
            "line %d is longer than %d characters, which is the most that is taken"
                .formatted(number, MAX));
      }
      line.write(b);
    }
    String read = line.toString(StandardCharsets.UTF_8);
    text =
        read.indexOf(REPLACEMENT) < 0
            || Arrays.equals(read.getBytes(StandardCharsets.UTF_8), line.toByteArray());
    return read;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
