package dev.varve.query;

import dev.varve.model.TagFilter;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Replaces regular expressions by simpler filters. */
final class SimplePattern {
  private static final String SPECIAL = "\\.+*?()[]{}^$|";

  private SimplePattern() {}

  /** Returns the simplest equivalent filter; null if every series matches. */
  static @Nullable TagFilter filter(String name, String pattern) {
    if (pattern.equals(".*")) {
      return null;
    }
    if (pattern.equals(".+")) {
      return new TagFilter.Has(name);
    }
    if (pattern.endsWith(".*")) {
      String prefix = literal(pattern.substring(0, pattern.length() - 2));
      if (prefix != null && !prefix.isEmpty()) {
        return new TagFilter.Prefix(name, prefix);
      }
    }
    Set<String> values = new LinkedHashSet<>();
    for (String alternative : pattern.split("\\|", -1)) {
      String value = literal(alternative);
      if (value == null) {
        return new TagFilter.Regex(name, pattern);
      }
      values.add(value);
    }
    return values.size() == 1
        ? new TagFilter.Equal(name, values.iterator().next())
        : new TagFilter.In(name, values);
  }

  /** Returns the text that a pattern without operators matches; null if it has operators. */
  private static @Nullable String literal(String pattern) {
    StringBuilder value = new StringBuilder();
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c == '\\' && i + 1 < pattern.length() && SPECIAL.indexOf(pattern.charAt(i + 1)) >= 0) {
        value.append(pattern.charAt(++i));
      } else if (SPECIAL.indexOf(c) >= 0) {
        return null;
      } else {
        value.append(c);
      }
    }
    return value.toString();
  }
}
