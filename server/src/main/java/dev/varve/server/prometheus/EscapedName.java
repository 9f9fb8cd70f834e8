package dev.varve.server.prometheus;

/**
 * Decodes label names in paths. A name is either literal or starts with {@code U__}; then {@code
 * _1f_} is the character with that hexadecimal code point and {@code __} is an underscore.
 */
final class EscapedName {
  private static final String PREFIX = "U__";

  private EscapedName() {}

  /** Returns the decoded name; a text with an invalid escape is returned unchanged. */
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
