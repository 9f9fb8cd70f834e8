package dev.varve.query.template;

/** Texts with a capital at the beginning of every word. */
final class Title {
  private Title() {}

  /** Letters that are not the first of a word stay as they are. */
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

  /** Whether a word goes on behind this character: {@code it's} and {@code a.b} are one. */
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
