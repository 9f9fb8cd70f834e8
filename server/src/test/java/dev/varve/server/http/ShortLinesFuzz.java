package dev.varve.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/** Fuzzes the lines of a body, which must be those between its line feeds. */
public final class ShortLinesFuzz {
  private ShortLinesFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    int number = 0;
    try (ShortLines lines =
        new ShortLines(new ByteArrayInputStream(input), WriteBudget.unlimited())) {
      int from = 0;
      while (from < input.length) {
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (; from < input.length && input[from] != '\n'; from++) {
          expected.write(input[from]);
        }
        from++;
        number++;
        String line = lines.next();
        if (!expected.toString(UTF_8).equals(line)
            || lines.number() != number
            || lines.isText() != isText(expected.toByteArray())) {
          throw new AssertionError("line %d is %s".formatted(number, line));
        }
      }
      if (lines.next() != null) {
        throw new AssertionError("more than %d lines".formatted(number));
      }
    }
  }

  private static boolean isText(byte[] bytes) {
    try {
      UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
