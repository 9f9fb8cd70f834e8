package dev.varve.query.promql.eval;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the numbers of the named groups of a pattern. */
final class GroupNames {
  private GroupNames() {}

  /** Returns the numbers by name; if two groups have the same name, that of the first. */
  static Map<String, Integer> of(String pattern) {
    Map<String, Integer> numbers = new HashMap<>();
    int groups = 0;
    boolean inClass = false;
    for (int at = 0; at < pattern.length(); at++) {
      char c = pattern.charAt(at);
      if (c == '\\') {
        at++;
      } else if (inClass) {
        inClass = c != ']';
      } else if (c == '[') {
        inClass = true;
        at += pattern.startsWith("[^]", at) ? 2 : pattern.startsWith("[]", at) ? 1 : 0;
      } else if (c == '(') {
        String name = name(pattern, at);
        if (name != null) {
          groups++;
          if (!name.isEmpty()) {
            numbers.putIfAbsent(name, groups);
          }
        }
      }
    }
    return numbers;
  }

  /**
   * Returns the name of the group that starts here; empty if it has none, null if it does not
   * capture.
   */
  private static @Nullable String name(String pattern, int at) {
    if (!pattern.startsWith("(?", at)) {
      return "";
    }
    int from =
        pattern.startsWith("(?P<", at) ? at + 4 : pattern.startsWith("(?<", at) ? at + 3 : -1;
    int end = from < 0 ? -1 : pattern.indexOf('>', from);
    return end < 0 ? null : pattern.substring(from, end);
  }
}
