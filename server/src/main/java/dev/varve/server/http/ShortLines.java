package dev.varve.server.http;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The lines of a body, none of which can fill the memory. */
public final class ShortLines implements AutoCloseable {
  /** So many characters a line may have. */
  public static final int MAX = 1 << 20;

  private final Reader in;
  private final StringBuilder line = new StringBuilder();
  private int number;

  public ShortLines(InputStream body) {
    this.in = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8), 16 << 10);
  }

  /** Of the line that was read last, from 1 on. */
  public int number() {
    return number;
  }

  /**
   * The next line without its end, or null behind the last.
   *
   * @throws HttpError 413 if it is longer than {@link #MAX}
   */
  public @Nullable String next() throws IOException {
    int c = in.read();
    if (c < 0) {
      return null;
    }
    number++;
    line.setLength(0);
    for (; c >= 0 && c != '\n'; c = in.read()) {
      if (line.length() == MAX) {
        throw new HttpError(
            413,
            "line %d is longer than %d characters, which is the most that is taken"
                .formatted(number, MAX));
      }
      line.append((char) c);
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
