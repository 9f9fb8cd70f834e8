package dev.varve.model;

/**
 * Estimates how large an RE2 pattern becomes once its counted repetitions are expanded, which
 * happens before it runs. {@code ((a{1000}){1000}){1000}} is short but expands to a thousand
 * million steps. Check every pattern from an untrusted source first.
 */
public final class PatternSize {
  /**
   * Limit on the characters of a pattern, and on its steps after expansion. The compiled pattern
   * then takes one or two megabytes.
   */
  public static final int MAX = 10_000;

  /**
   * Weights of groups and repetitions. RE2/J recurses over those that can match the empty string,
   * and a few thousand in a row overflow a thread's stack.
   */
  private static final int GROUP_STEPS = 10;

  private static final int REPETITION_STEPS = 2;

  /** Maximum nesting depth of groups; parsing them uses stack, too. */
  private static final int DEPTH_MAX = 500;

  /** RE2 itself rejects a larger count. */
  private static final int COUNT_MAX = 1_000;

  private final String pattern;
  private int at;

  /** Steps of the current group, and of its last item, which a count would repeat. */
  private long steps;

  private long last;

  private PatternSize(String pattern) {
    this.pattern = pattern;
  }

  /**
   * Checks the size of a pattern. Syntax errors are left to the compiler.
   *
   * @return its number of steps
   */
  public static long check(String pattern) {
    if (pattern.length() > MAX) {
      throw new IllegalArgumentException(
          "the pattern has %d characters, more than the limit of %d"
              .formatted(pattern.length(), MAX));
    }
    long steps = new PatternSize(pattern).written();
    if (steps > MAX) {
      throw new IllegalArgumentException(
          "the groups and repetitions of pattern '%s' expand to more than %d steps"
              .formatted(pattern, MAX));
    }
    return steps;
  }

  /** Returns the number of steps, or some number above {@link #MAX} if there are more. */
  private long written() {
    // An outer group resumes where its inner group ends; its steps are kept here meanwhile.
    long[] waiting = new long[DEPTH_MAX];
    int depth = 0;
    while (at < pattern.length() && steps <= MAX) {
      char c = pattern.charAt(at++);
      switch (c) {
        case '(' -> {
          if (depth == DEPTH_MAX) {
            return MAX + 1;
          }
          waiting[depth++] = steps;
          steps = 0;
          last = 0;
        }
        case ')' -> {
          last = steps + GROUP_STEPS;
          steps = last + (depth > 0 ? waiting[--depth] : 0);
        }
        case '[' -> {
          skipClass();
          step();
        }
        case '\\' -> escaped();
        case '{' -> repeat();
        case '*', '+', '?' -> steps += REPETITION_STEPS;
        default -> step();
      }
    }
    return steps;
  }

  private void step() {
    last = 1;
    steps++;
  }

  private void repeat() {
    int end = pattern.indexOf('}', at);
    String counts = end < 0 ? "" : pattern.substring(at, end);
    if (!counts.matches("\\d{1,9}(,\\d{0,9})?")) {
      step();
      return;
    }
    at = end + 1;
    long most = 1;
    for (String count : counts.split(",", -1)) {
      long given = count.isEmpty() ? 0 : Long.parseLong(count);
      most = Math.max(most, Math.min(COUNT_MAX, given));
    }
    steps += last * (most - 1);
    last *= most;
  }

  /**
   * Reads a letter, a class such as {@code \pL} or {@code \p{Greek}}, or a text between \Q and \E.
   */
  private void escaped() {
    char c = at < pattern.length() ? pattern.charAt(at++) : '\\';
    if (c == 'Q') {
      int end = pattern.indexOf("\\E", at);
      steps += (end < 0 ? pattern.length() : end) - at;
      at = end < 0 ? pattern.length() : end + 2;
      last = 1;
      return;
    }
    if ("pPx".indexOf(c) >= 0 && at < pattern.length() && pattern.charAt(at) == '{') {
      int end = pattern.indexOf('}', at);
      at = end < 0 ? pattern.length() : end + 1;
    }
    step();
  }

  /** Skips past the bracket that closes a class. The first character of a class cannot close it. */
  private void skipClass() {
    if (at < pattern.length() && pattern.charAt(at) == '^') {
      at++;
    }
    boolean first = true;
    while (at < pattern.length()) {
      char c = pattern.charAt(at++);
      if (c == '\\') {
        at++;
      } else if (c == '[' && at < pattern.length() && pattern.charAt(at) == ':') {
        int end = pattern.indexOf(":]", at);
        at = end < 0 ? at : end + 2;
      } else if (c == ']' && !first) {
        return;
      }
      first = false;
    }
  }
}
