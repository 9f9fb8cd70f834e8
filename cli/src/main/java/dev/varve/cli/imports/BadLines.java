package dev.varve.cli.imports;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.formats.text.LeftOut;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes bad lines to a file, each after a comment with its place and the reason. The first bad
 * line creates the file and replaces one of an earlier run, unless this run resumes that one.
 */
final class BadLines implements AutoCloseable {
  private final Path file;
  private final boolean isBegun;
  private @Nullable FileChannel channel;
  private @Nullable OutputStream out;
  private long count;
  private long parts;

  /**
   * Creates the writer of a file.
   *
   * @param isBegun whether the file already holds lines of this run
   */
  BadLines(Path file, boolean isBegun) {
    this.file = file;
    this.isBegun = isBegun;
  }

  /**
   * Opens the file of an earlier run to append to it, without the bytes that its state does not
   * cover.
   *
   * @throws CommandFailedException if the file lacks something that the state covers
   */
  static BadLines resumed(Path file, ImportState.AsideOfFile begun) throws IOException {
    BadLines lines = new BadLines(file, begun.bytes() >= 0);
    lines.count = begun.bad();
    lines.parts = begun.parts();
    if (begun.bytes() >= 0) {
      long length = Files.exists(file) ? Files.size(file) : 0;
      if (length < begun.bytes()) {
        throw new CommandFailedException(
            "%s has %,d bytes, and the state of the import records %,d: import again, without --resume"
                .formatted(file, length, begun.bytes()));
      }
      try (FileChannel cut = FileChannel.open(file, StandardOpenOption.WRITE)) {
        cut.truncate(begun.bytes());
      }
    }
    return lines;
  }

  void add(Path source, LineSource line, String reason) throws IOException {
    writeReason(source, line, reason);
    writeLine(line);
    count++;
  }

  /** Records a row of a file that is not a text. */
  void addRow(Path source, long row, String reason) throws IOException {
    write(
        ("# " + source + " row " + row + ": " + reason.replace('\n', ' ') + "\n")
            .getBytes(StandardCharsets.UTF_8));
    count++;
  }

  /** Records parts of a line that were skipped while the rest was read. */
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
    write(Arrays.copyOfRange(line.bytes(), line.from(), line.to()));
    write(new byte[] {'\n'});
  }

  private void write(byte[] bytes) throws IOException {
    if (out == null) {
      OpenOption how = isBegun ? StandardOpenOption.APPEND : StandardOpenOption.TRUNCATE_EXISTING;
      channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, how);
      out = new BufferedOutputStream(Channels.newOutputStream(channel));
    }
    out.write(bytes);
  }

  /** Records valid lines that the dataset refused. */
  void refused(Path source, String reason) throws IOException {
    write(
        ("# " + source + ": refused: " + reason.replace('\n', ' ') + "\n")
            .getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the number of values that were skipped in lines that were read otherwise. */
  long parts() {
    return parts;
  }

  /** Returns the number of lines that were set aside as a whole. */
  long count() {
    return count;
  }

  /** Returns how many there are, for people to read; empty if there are none. */
  String soFar() {
    return count == 0 ? "" : count + " bad lines";
  }

  /**
   * Returns what was put aside so far, and makes that durable.
   *
   * @param refused points of this file that the dataset refused
   */
  ImportState.AsideOfFile soFar(long refused) throws IOException {
    long bytes = -1;
    if (out != null && channel != null) {
      out.flush();
      channel.force(true);
      bytes = channel.size();
    } else if (isBegun) {
      bytes = Files.size(file);
    }
    return new ImportState.AsideOfFile(bytes, count, parts, refused);
  }

  /** Returns whether anything was written to the file. */
  boolean isBegun() {
    return out != null || isBegun;
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
