package dev.varve.cli.imports;

import dev.varve.server.text.LeftOut;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Puts bad lines aside: a comment with place and reason, then the line as it came. The file is made
 * with the first one; what an earlier run has left there goes.
 */
final class BadLines implements AutoCloseable {
  private final Path file;
  private final boolean goesOn;
  private @Nullable OutputStream out;
  private long count;
  private long parts;

  /**
   * Prepares to write.
   *
   * @param goesOn whether the file holds what this run has put there already
   */
  BadLines(Path file, boolean goesOn) {
    this.file = file;
    this.goesOn = goesOn;
  }

  void add(Path source, LineSource line, String reason) throws IOException {
    writeReason(source, line, reason);
    writeLine(line);
    count++;
  }

  /** Notes parts of a line that were left out, while the rest of it was read. */
  void addParts(Path source, LineSource line, LeftOut leftOut) throws IOException {
    for (String reason : leftOut.reasons()) {
      writeReason(source, line, reason);
    }
    writeLine(line);
    parts += leftOut.count();
  }

  private void writeReason(Path source, LineSource line, String reason) throws IOException {
    write(
        ("# " + source + " line " + line.number() + ": " + reason.replace('\n', ' ') + "\n")
            .getBytes(StandardCharsets.UTF_8));
  }

  private void writeLine(LineSource line) throws IOException {
    write(java.util.Arrays.copyOfRange(line.bytes(), line.from(), line.to()));
    write(new byte[] {'\n'});
  }

  private void write(byte[] bytes) throws IOException {
    if (out == null) {
      OpenOption how = goesOn ? StandardOpenOption.APPEND : StandardOpenOption.TRUNCATE_EXISTING;
      out =
          new BufferedOutputStream(
              Files.newOutputStream(
                  file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, how));
    }
    out.write(bytes);
  }

  /** Notes what was read well but refused by the dataset. */
  void refused(Path source, String reason) throws IOException {
    write(
        ("# " + source + ": refused: " + reason.replace('\n', ' ') + "\n")
            .getBytes(StandardCharsets.UTF_8));
  }

  /** How many values were left out of lines that were read otherwise. */
  long parts() {
    return parts;
  }

  /** How many lines were put aside as a whole. */
  long count() {
    return count;
  }

  /** Whether anything was put into the file. */
  boolean isBegun() {
    return out != null;
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
