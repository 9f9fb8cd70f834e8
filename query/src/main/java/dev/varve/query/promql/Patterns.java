package dev.varve.query.promql;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.varve.model.PatternSize;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The regular expressions of a query. They are collected during parsing and compiled afterwards,
 * because RE2/J also needs stack. A pattern's error still precedes the error that ended parsing,
 * because the pattern comes first in the text.
 */
final class Patterns {
  /**
   * Maximum total size of all patterns of a query after expansion, which bounds the compile time.
   */
  static final int STEPS_MAX = 100_000;

  private record Pending(String pattern, SourceRange source) {}

  private final byte[] query;
  private final List<Pending> pending = new ArrayList<>();
  private final Map<String, Boolean> fitsEmpty = new HashMap<>();
  private long steps;

  Patterns(byte[] query) {
    this.query = query;
  }

  void add(String pattern, SourceRange source) {
    pending.add(new Pending(pattern, source));
  }

  /**
   * Compiles all patterns added since the last check.
   *
   * @throws PromQlException for the first invalid pattern
   */
  void check() {
    for (Pending next : pending) {
      if (!fitsEmpty.containsKey(next.pattern())) {
        fitsEmpty.put(next.pattern(), compile(next).matches(""));
      }
    }
    pending.clear();
  }

  private Pattern compile(Pending next) {
    try {
      steps += PatternSize.check(next.pattern());
      if (steps > STEPS_MAX) {
        throw new IllegalArgumentException(
            "the regular expressions of the query expand to more than %d steps"
                .formatted(STEPS_MAX));
      }
      return Pattern.compile(next.pattern());
    } catch (PatternSyntaxException e) {
      throw error(next, message(next.pattern(), e));
    } catch (IllegalArgumentException e) {
      throw error(next, String.valueOf(e.getMessage()));
    }
  }

  private PromQlException error(Pending pattern, String problem) {
    return new PromQlException(query, pattern.source().start(), problem);
  }

  /** RE2/J reports an internal error for an unmatched closing parenthesis. */
  private static String message(String pattern, PatternSyntaxException e) {
    return e.getDescription().contains("internal error")
        ? "error parsing regexp: unexpected ): `" + pattern + "`"
        : String.valueOf(e.getMessage());
  }

  /** Returns whether a checked pattern matches the empty text. */
  boolean fitsEmpty(String pattern) {
    return Boolean.TRUE.equals(fitsEmpty.get(pattern));
  }
}
