package dev.varve.formats.export;

import java.io.Writer;

/** Gathers text without a lock. */
final class PieceText extends Writer {
  private final StringBuilder text;

  PieceText(int capacity) {
    this.text = new StringBuilder(capacity);
  }

  @Override
  public void write(int character) {
    text.append((char) character);
  }

  @Override
  public void write(char[] characters, int from, int length) {
    text.append(characters, from, length);
  }

  @Override
  public void write(String more) {
    text.append(more);
  }

  @Override
  public void write(String more, int from, int length) {
    text.append(more, from, from + length);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}

  @Override
  public String toString() {
    return text.toString();
  }
}
