package dev.varve.model;

/**
 * How large a regular expression of RE2 syntax becomes when its counted repetitions are written
 * out, as they are before it runs: {@code ((a{1000}){1000}){1000}} is short, and a thousand million
 * steps. Whoever takes patterns from outside asks first.
 */
public final class PatternSize {
  /** Characters, and steps once written out: a megabyte or two of compiled pattern. */
  public static final int MAX = 10_000;

  /**
   * What groups and repetitions count for: where they may match nothing, RE2/J walks over them by
   * recursion, and with a few thousand in a row a thread has no stack left.
   */
  private static final int GROUP_STEPS = 10;

  private static final int REPETITION_STEPS = 2;

  /** How deep groups may stand in groups; to read them takes stack, too. */
  private static final int DEPTH_MAX = 500;

  /** RE2 refuses a larger count by itself. */
  private static final int COUNT_MAX = 1_000;

  private final String pattern;
  private int at;

  /** Steps of the group under way, and of what stands last in it, which a count repeats. */
  private long steps;

  private long last;

  private PatternSize(String pattern) {
    this.pattern = pattern;
  }

  /**
   * Checks a pattern; what is wrong with its syntax is left to whoever compiles it.
   *
   * @return its steps
   * @throws IllegalArgumentException if it is longer or larger than {@link #MAX}
   */
  public static long check(String pattern) {
    if (pattern.length() > MAX) {
      throw new IllegalArgumentException(
          "a pattern of %d characters, at most %d are possible".formatted(pattern.length(), MAX));
    }
    long steps = new PatternSize(pattern).written();
    if (steps > MAX) {
      throw new IllegalArgumentException(
          "the groups and repetitions of pattern '%s' come to more than %d steps"
              .formatted(pattern, MAX));
    }
    return steps;
  }

  /** The steps, or some number above {@link #MAX} where they are more. */
  private long written() {
    // An outer group goes on where the inner one ends: its steps wait meanwhile.
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

  /** A letter, a class such as {@code \pL} or {@code \p{Greek}}, or a text between \Q and \E. */
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

  /** Goes behind the bracket that closes a class; the first character in it closes nothing. */
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
