package dev.varve.engine.catalog;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.varve.engine.GuardedText;
import dev.varve.engine.ReadGuard;
import dev.varve.model.PatternSize;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What the value of a label must be like. */
sealed interface ValueMatch {
  boolean test(String value);

  /** One of some values, which can be looked up. */
  record OneOf(Set<String> values) implements ValueMatch {
    @Override
    public boolean test(String value) {
      return values.contains(value);
    }
  }

  /**
   * Begins with a prefix.
   *
   * @param more how many characters must follow the prefix at least, 0 or 1
   */
  record Begins(String prefix, int more) implements ValueMatch {
    @Override
    public boolean test(String value) {
      return value.length() >= prefix.length() + more && value.startsWith(prefix);
    }
  }

  record Matches(Pattern pattern, ReadGuard guard) implements ValueMatch {
    @Override
    public boolean test(String value) {
      return pattern.matcher(GuardedText.of(value, guard)).matches();
    }
  }

  /**
   * The meaning of a pattern in RE2 syntax that has to match the whole value, where {@code .} also
   * matches a line break. Literals, alternations of literals and prefixes become look-ups.
   *
   * @param guard asked while a pattern is tried
   * @throws IllegalArgumentException if it is no pattern
   */
  static ValueMatch ofRegex(String regex, ReadGuard guard) {
    ValueMatch simple = Simple.of(regex);
    if (simple != null) {
      return simple;
    }
    PatternSize.check(regex);
    try {
      return new Matches(Pattern.compile(regex, Pattern.DOTALL), guard);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "'%s' is no pattern in RE2 syntax: %s".formatted(regex, e.getMessage()), e);
    }
  }

  /** Finds the patterns that need no automaton. */
  final class Simple {
    private static final String META = "\\.+*?()[]{}|^$";

    private Simple() {}

    static @Nullable ValueMatch of(String regex) {
      String body = ungrouped(regex);
      Set<String> literals = new TreeSet<>();
      StringBuilder literal = new StringBuilder();
      for (int i = 0; i < body.length(); i++) {
        char c = body.charAt(i);
        if (c == '|') {
          literals.add(literal.toString());
          literal.setLength(0);
        } else if (c == '.' && literals.isEmpty() && body.length() == i + 2) {
          return switch (body.charAt(i + 1)) {
            case '*' -> new Begins(literal.toString(), 0);
            case '+' -> new Begins(literal.toString(), 1);
            default -> null;
          };
        } else if (c == '\\' && i + 1 < body.length() && META.indexOf(body.charAt(i + 1)) >= 0) {
          literal.append(body.charAt(++i));
        } else if (META.indexOf(c) >= 0) {
          return null;
        } else {
          literal.append(c);
        }
      }
      literals.add(literal.toString());
      return new OneOf(literals);
    }

    /** What stands in the one group that holds the whole pattern, or the pattern. */
    private static String ungrouped(String regex) {
      boolean grouped = regex.startsWith("(") && regex.indexOf(')') == regex.length() - 1;
      if (!grouped || regex.endsWith("\\)")) {
        return regex;
      }
      String body = regex.substring(1, regex.length() - 1);
      return body.startsWith("?:") ? body.substring(2) : body;
    }
  }
}
