package dev.varve.query.promql.eval;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A text in which {@code $1}, {@code $name} and <code>${name}</code> refer to captured groups of a
 * pattern, and {@code $$} is a dollar. A group that does not exist or captured nothing is empty; a
 * dollar without a name stands for itself. A name without braces is as long as possible: {@code
 * $1x} is <code>${1x}</code>. Equivalent to Go's {@code Regexp.Expand}.
 */
public final class GroupTemplate {
  private final String text;
  private final Map<String, Integer> names;

  /**
   * Parses a template.
   *
   * @param pattern the pattern whose groups it refers to
   */
  public GroupTemplate(String text, Pattern pattern) {
    this.text = text;
    this.names = isPlain(text) ? Map.of() : GroupNames.of(pattern.pattern());
  }

  /** Returns whether a template always expands to itself. */
  public static boolean isPlain(String text) {
    return text.indexOf('$') < 0;
  }

  /**
   * Expands the template.
   *
   * @param matcher a matcher of the template's pattern, after a successful match
   */
  public String expand(Matcher matcher) {
    return expand(matcher, Integer.MAX_VALUE);
  }

  /**
   * Expands the template with a limit of length.
   *
   * @param most maximum number of characters
   * @throws IllegalArgumentException if the result would be longer
   */
  String expand(Matcher matcher, int most) {
    if (isPlain(text)) {
      return text;
    }
    StringBuilder expanded = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c != '$') {
        expanded.append(c);
        at++;
      } else if (text.startsWith("$$", at)) {
        expanded.append('$');
        at += 2;
      } else {
        at = expand(matcher, at, expanded);
      }
      if (expanded.length() > most) {
        throw new IllegalArgumentException("more than %,d characters".formatted(most));
      }
    }
    return expanded.toString();
  }

  /** Expands the reference at an index. A dollar that is not a reference stands for itself. */
  private int expand(Matcher matcher, int at, StringBuilder expanded) {
    boolean braces = text.startsWith("${", at);
    int from = at + (braces ? 2 : 1);
    int end = from;
    while (end < text.length() && isNamePart(text.charAt(end))) {
      end++;
    }
    boolean closed = !braces || (end < text.length() && text.charAt(end) == '}');
    if (end == from || !closed) {
      expanded.append('$');
      return at + 1;
    }
    String group = group(matcher, text.substring(from, end));
    expanded.append(group == null ? "" : group);
    return braces ? end + 1 : end;
  }

  private static boolean isNamePart(char c) {
    return Character.isLetterOrDigit(c) || c == '_';
  }

  private @Nullable String group(Matcher matcher, String name) {
    if (name.chars().allMatch(c -> c >= '0' && c <= '9')) {
      if (name.length() > 1 && name.startsWith("0")) {
        return null;
      }
      int number = name.length() > 4 ? Integer.MAX_VALUE : Integer.parseInt(name);
      return number <= matcher.groupCount() ? matcher.group(number) : null;
    }
    Integer number = names.get(name);
    return number == null ? null : matcher.group(number);
  }
}
