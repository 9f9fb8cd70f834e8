package dev.varve.cli.cells;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads lines of UTF-8 that end with line feeds. Blank lines are skipped. */
final class TextLines {
  private TextLines() {}

  interface Action {
    /**
     * Receives a line.
     *
     * @param number line number, from 1
     * @param fault why the line is not UTF-8, in which case it contains the readable part; null if
     *     it is valid
     */
    void accept(long number, String line, @Nullable String fault);
  }

  static void forEach(InputStream source, Action action) throws IOException {
    BufferedInputStream in = new BufferedInputStream(source, 1 << 16);
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    long number = 0;
    int next = in.read();
    while (next >= 0) {
      line.reset();
      while (next >= 0 && next != '\n') {
        line.write(next);
        next = in.read();
      }
      number++;
      accept(number, line.toByteArray(), action);
      next = next < 0 ? next : in.read();
    }
  }

  private static void accept(long number, byte[] bytes, Action action) {
    String text;
    String fault = null;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      text = new String(bytes, StandardCharsets.UTF_8);
      fault = "the line is no UTF-8 from character " + (text.indexOf('\ufffd') + 1) + " on";
    }
    if (!text.isBlank()) {
      action.accept(number, text, fault);
    }
  }
}
