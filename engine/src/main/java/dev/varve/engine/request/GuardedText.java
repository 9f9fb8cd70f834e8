package dev.varve.engine.request;

/**
 * A text that periodically checks for cancellation while it is read. A pattern may take 10,000
 * steps per character, so matching a single long text would delay cancellation.
 */
public final class GuardedText implements CharSequence {
  private static final int LOOKS_BETWEEN = 64;

  private final String text;
  private final ReadGuard guard;
  private int looks;

  private GuardedText(String text, ReadGuard guard) {
    this.text = text;
    this.guard = guard;
  }

  /** Wraps a text. For a short text the guard is checked once, immediately. */
  public static CharSequence of(String text, ReadGuard guard) {
    guard.ensureWanted();
    return text.length() < LOOKS_BETWEEN ? text : new GuardedText(text, guard);
  }

  @Override
  public char charAt(int index) {
    if (++looks % LOOKS_BETWEEN == 0) {
      guard.ensureWanted();
    }
    return text.charAt(index);
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return text.substring(start, end);
  }

  @Override
  public String toString() {
    return text;
  }
}
