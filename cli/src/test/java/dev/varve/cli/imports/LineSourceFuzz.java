package dev.varve.cli.imports;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Fuzzes imported files. Their lines are those between line feeds, also in gzip. A file that starts
 * like gzip but is not gzip is an error.
 */
public final class LineSourceFuzz {
  private static @Nullable Path file;

  private LineSourceFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    List<byte[]> expected = lines(input);
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(compressed)) {
      out.write(input);
    }
    ensureSame(expected, read(compressed.toByteArray()));
    boolean gzip = input.length > 1 && input[0] == 0x1f && input[1] == (byte) 0x8b;
    if (!gzip) {
      ensureSame(expected, read(input));
      return;
    }
    try {
      read(input);
    } catch (EOFException e) {
      // The gzip stream is truncated.
      return;
    } catch (IOException e) {
      if (e.getMessage() == null || e.getMessage().isEmpty()) {
        throw new AssertionError("refused without a reason", e);
      }
    }
  }

  private static List<byte[]> read(byte[] bytes) throws IOException {
    Path known = file;
    if (known == null) {
      known = Files.createTempFile("varve-fuzz", ".txt");
      known.toFile().deleteOnExit();
      file = known;
    }
    Files.write(known, bytes);
    List<byte[]> lines = new ArrayList<>();
    try (LineSource source = LineSource.open(known)) {
      while (source.next()) {
        lines.add(Arrays.copyOfRange(source.bytes(), source.from(), source.to()));
        if (source.number() != lines.size()) {
          throw new AssertionError("line %d is %d".formatted(lines.size(), source.number()));
        }
      }
      if (source.rawBytes() > bytes.length) {
        throw new AssertionError(
            "%d bytes of %d were read".formatted(source.rawBytes(), bytes.length));
      }
    }
    return lines;
  }

  private static List<byte[]> lines(byte[] text) {
    List<byte[]> lines = new ArrayList<>();
    for (int from = 0, to = 0; from < text.length; from = to + 1) {
      for (to = from; to < text.length && text[to] != '\n'; ) {
        to++;
      }
      lines.add(Arrays.copyOfRange(text, from, to));
    }
    return lines;
  }

  private static void ensureSame(List<byte[]> expected, List<byte[]> read) {
    if (!Arrays.deepEquals(expected.toArray(), read.toArray())) {
      throw new AssertionError("%d lines are read as %d".formatted(expected.size(), read.size()));
    }
  }
}
