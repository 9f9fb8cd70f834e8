package dev.varve.query.promql.eval;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Functions that change labels. */
final class LabelFunctions {
  private LabelFunctions() {}

  /**
   * {@code label_replace}: sets a label by what a pattern finds in another.
   *
   * @param pattern has to fit the whole of the value
   * @param replacement {@code $1}, {@code $name} and <code>${name}</code> stand for groups
   */
  record Replacement(String target, String replacement, String source, Pattern pattern) {
    Labels apply(Labels labels) {
      Matcher matcher = pattern.matcher(labels.get(source));
      return matcher.matches() ? labels.with(target, expand(matcher)) : labels;
    }

    private String expand(Matcher matcher) {
      StringBuilder text = new StringBuilder();
      int at = 0;
      while (at < replacement.length()) {
        char c = replacement.charAt(at);
        if (c != '$') {
          text.append(c);
          at++;
        } else if (replacement.startsWith("$$", at)) {
          text.append('$');
          at += 2;
        } else {
          at = expand(matcher, at, text);
        }
      }
      return text.toString();
    }

    /** Expands a reference that begins here; what is none stands for itself. */
    private int expand(Matcher matcher, int at, StringBuilder text) {
      boolean braces = replacement.startsWith("${", at);
      int from = at + (braces ? 2 : 1);
      int end = from;
      while (end < replacement.length() && isNamePart(replacement.charAt(end))) {
        end++;
      }
      boolean closed = !braces || (end < replacement.length() && replacement.charAt(end) == '}');
      if (end == from || !closed) {
        text.append('$');
        return at + 1;
      }
      String group = group(matcher, replacement.substring(from, end));
      text.append(group == null ? "" : group);
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
      Integer number = GroupNames.of(pattern.pattern()).get(name);
      return number == null ? null : matcher.group(number);
    }
  }

  /** {@code label_join}: sets a label to the values of others with something between. */
  static Labels join(Labels labels, String target, String separator, List<String> sources) {
    return labels.with(target, String.join(separator, sources.stream().map(labels::get).toList()));
  }
}
