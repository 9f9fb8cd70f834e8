package dev.varve.query.promql.eval;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.List;

/** Functions that change labels. */
final class LabelFunctions {
  private LabelFunctions() {}

  /**
   * {@code label_replace}: sets a label by what a pattern finds in another.
   *
   * @param pattern has to fit the whole of the value
   * @param replacement a {@link GroupTemplate}
   */
  record Replacement(String target, GroupTemplate replacement, String source, Pattern pattern) {
    Labels apply(Labels labels) {
      Matcher matcher = pattern.matcher(labels.get(source));
      return matcher.matches() ? labels.with(target, replacement.expand(matcher)) : labels;
    }
  }

  /** {@code label_join}: sets a label to the values of others with something between. */
  static Labels join(Labels labels, String target, String separator, List<String> sources) {
    return labels.with(target, String.join(separator, sources.stream().map(labels::get).toList()));
  }
}
