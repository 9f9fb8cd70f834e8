package dev.varve.engine.catalog;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.varve.engine.request.GuardedText;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.PatternSize;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A condition on the value of a label. */
sealed interface ValueMatch {
  boolean test(String value);

  /** Matches any of the given values, which can be looked up. */
  record OneOf(Set<String> values) implements ValueMatch {
    @Override
    public boolean test(String value) {
      return values.contains(value);
    }
  }

  /**
   * Matches values that begin with a prefix.
   *
   * @param more minimum number of characters after the prefix, 0 or 1
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
   * Compiles a pattern in RE2 syntax that has to match the whole value; {@code .} also matches line
   * breaks. Literals, alternations of literals, and prefixes need no automaton.
   *
   * @param guard checked while a pattern is evaluated
   * @throws IllegalArgumentException if the pattern is invalid
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
          "'%s' is not a valid RE2 pattern: %s".formatted(regex, e.getMessage()), e);
    }
  }

  /** Recognises patterns that need no automaton. */
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

    /**
     * Returns the content of the group that encloses the whole pattern, or the pattern itself if
     * there is no such group.
     */
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
