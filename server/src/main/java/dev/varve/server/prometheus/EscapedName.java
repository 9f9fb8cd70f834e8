package dev.varve.server.prometheus;

/**
 * Names of labels in paths: as they are, or with {@code U__} before them, where {@code _1f_} stands
 * for a character that old names had not, and {@code __} for an underscore.
 */
final class EscapedName {
  private static final String PREFIX = "U__";

  private EscapedName() {}

  /** The name; a text that is escaped in a wrong way stands for itself. */
  static String read(String text) {
    if (!text.startsWith(PREFIX)) {
      return text;
    }
    StringBuilder name = new StringBuilder();
    int at = PREFIX.length();
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c != '_') {
        name.append(c);
        at++;
      } else if (text.startsWith("__", at)) {
        name.append('_');
        at += 2;
      } else {
        int end = text.indexOf('_', at + 1);
        String hex = end < 0 ? "" : text.substring(at + 1, end);
        if (!hex.matches("[0-9a-f]{1,6}")
            || !Character.isValidCodePoint(Integer.parseInt(hex, 16))) {
          return text;
        }
        name.appendCodePoint(Integer.parseInt(hex, 16));
        at = end + 1;
      }
    }
    return name.toString();
  }
}
