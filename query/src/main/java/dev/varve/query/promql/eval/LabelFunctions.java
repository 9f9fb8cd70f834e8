package dev.varve.query.promql.eval;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.varve.engine.request.GuardedText;
import dev.varve.engine.request.ReadGuard;
import java.util.List;

/** Functions that change labels. */
final class LabelFunctions {
  /**
   * Maximum number of characters of a computed label. Nested calls could otherwise fill the memory.
   */
  private static final int LENGTH_MAX = 1 << 16;

  private LabelFunctions() {}

  /**
   * {@code label_replace}: sets a label from a pattern match on another label.
   *
   * @param pattern must match the whole value
   * @param replacement a {@link GroupTemplate}
   */
  record Replacement(String target, GroupTemplate replacement, String source, Pattern pattern) {
    /**
     * Sets the label if the pattern matches.
     *
     * @param guard checked during the match
     */
    Labels apply(Labels labels, ReadGuard guard) {
      Matcher matcher = pattern.matcher(GuardedText.of(labels.get(source), guard));
      return matcher.matches() ? labels.with(target, expanded(matcher)) : labels;
    }

    private String expanded(Matcher matcher) {
      try {
        return replacement.expand(matcher, LENGTH_MAX);
      } catch (IllegalArgumentException e) {
        throw tooLong("label_replace", target);
      }
    }
  }

  private static PromQlEvaluationException tooLong(String function, String label) {
    return new PromQlEvaluationException(
        "%s() would create a label '%s' longer than the limit of %,d characters"
            .formatted(function, label, LENGTH_MAX));
  }

  /** {@code label_join}: sets a label to the values of others, joined with a separator. */
  static Labels join(Labels labels, String target, String separator, List<String> sources) {
    long length = (long) separator.length() * (sources.size() - 1);
    for (String source : sources) {
      length += labels.get(source).length();
    }
    if (length > LENGTH_MAX) {
      throw tooLong("label_join", target);
    }
    return labels.with(target, String.join(separator, sources.stream().map(labels::get).toList()));
  }
}
