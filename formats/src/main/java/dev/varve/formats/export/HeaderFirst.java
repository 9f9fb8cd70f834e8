package dev.varve.formats.export;

import java.io.IOException;
import java.io.Writer;

/** Writes a header before the first text, or at the first flush where there is none. */
final class HeaderFirst extends Writer {
  private final Writer out;
  private final String header;
  private boolean begun;

  HeaderFirst(Writer out, String header) {
    this.out = out;
    this.header = header;
  }

  private void begin() throws IOException {
    if (!begun) {
      begun = true;
      out.write(header);
      out.write('\n');
    }
  }

  @Override
  public void write(char[] text, int from, int length) throws IOException {
    begin();
    out.write(text, from, length);
  }

  @Override
  public void write(String text) throws IOException {
    begin();
    out.write(text);
  }

  @Override
  public void flush() throws IOException {
    begin();
    out.flush();
  }

  @Override
  public void close() throws IOException {
    flush();
  }
}
