package dev.varve.server.text;

/**
 * Whether lines stand within a quoted text that a bad line has opened: whoever may write a text is
 * not to write lines. A backslash takes a quote's meaning.
 */
public final class OpenText {
  private boolean open;

  /** Notes a line that was not understood, which may have opened a text. */
  public void opens(byte[] bytes, int from, int to) {
    open = quotes(bytes, from, to) % 2 != 0;
  }

  /** Notes a line that ends within a text. */
  public void open() {
    open = true;
  }

  /** Whether the next line begins within a text. */
  public boolean isOpen() {
    return open;
  }

  /** Whether the line begins within the text; it may end it. */
  public boolean goesOn(byte[] bytes, int from, int to) {
    boolean within = open;
    if (within) {
      open = quotes(bytes, from, to) % 2 == 0;
    }
    return within;
  }

  private static int quotes(byte[] bytes, int from, int to) {
    int quotes = 0;
    for (int i = from; i < to; i++) {
      if (bytes[i] == '\\') {
        i++;
      } else if (bytes[i] == '"') {
        quotes++;
      }
    }
    return quotes;
  }
}
