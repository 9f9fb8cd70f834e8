package dev.varve.cli.imports;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Puts bad lines aside: a comment with place and reason, then the line as it came. The file is made
 * with the first one.
 */
final class BadLines implements AutoCloseable {
  private final Path file;
  private @Nullable OutputStream out;
  private long count;

  BadLines(Path file) {
    this.file = file;
  }

  void add(Path source, long number, byte[] bytes, int from, int to, String reason)
      throws IOException {
    write(
        ("# " + source + " line " + number + ": " + reason.replace('\n', ' ') + "\n")
            .getBytes(StandardCharsets.UTF_8));
    write(java.util.Arrays.copyOfRange(bytes, from, to));
    write(new byte[] {'\n'});
    count++;
  }

  private void write(byte[] bytes) throws IOException {
    if (out == null) {
      out = new BufferedOutputStream(Files.newOutputStream(file));
    }
    out.write(bytes);
  }

  /** Notes what was read well but refused by the dataset. */
  void refused(Path source, String reason) throws IOException {
    write(
        ("# " + source + ": refused: " + reason.replace('\n', ' ') + "\n")
            .getBytes(StandardCharsets.UTF_8));
  }

  long count() {
    return count;
  }

  Path file() {
    return file;
  }

  @Override
  public void close() throws IOException {
    if (out != null) {
      out.close();
    }
  }
}
