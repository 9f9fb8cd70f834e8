package dev.varve.rules.template;

/** Converts texts to title case. */
final class Title {
  private Title() {}

  /** Capitalises the first letter of each word; other letters are unchanged. */
  static String of(String text) {
    StringBuilder out = new StringBuilder(text.length());
    boolean inWord = false;
    for (int at = 0; at < text.length(); ) {
      int point = text.codePointAt(at);
      int end = at + Character.charCount(point);
      boolean letter = Character.isLetter(point);
      out.appendCodePoint(letter && !inWord ? Character.toTitleCase(point) : point);
      inWord = letter || (inWord && goesOn(text, point, end));
      at = end;
    }
    return out.toString();
  }

  /**
   * Returns whether the word continues after this character: {@code it's} and {@code a.b} are one
   * word.
   */
  private static boolean goesOn(String text, int point, int end) {
    if (Character.isDigit(point)
        || point == '_'
        || Character.getType(point) == Character.NON_SPACING_MARK) {
      return true;
    }
    boolean between =
        point == '\'' || point == '.' || point == ':' || point == 0x2019 || point == 0xB7;
    return between && end < text.length() && Character.isLetter(text.codePointAt(end));
  }
}
