package dev.varve.formats.text;

/**
 * Tracks whether lines are within a quoted string that a bad line has opened, so that a client that
 * chooses a string cannot inject lines. A backslash escapes a quote.
 */
public final class OpenText {
  private boolean open;

  /** Records an invalid line, which may have opened a string. */
  public void opens(byte[] bytes, int from, int to) {
    open = quotes(bytes, from, to) % 2 != 0;
  }

  /** Records a line that ends within a string. */
  public void open() {
    open = true;
  }

  /** Returns whether the next line begins within a string. */
  public boolean isOpen() {
    return open;
  }

  /** Returns whether a line begins within the string. The line may end the string. */
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
