package dev.varve.engine.usage;

/**
 * A kind of query: its language, its operators and the step of its answer.
 *
 * @param language the language or API: {@code promql}, {@code kairosdb} and so on
 * @param aggregation the operators over the samples, such as {@code sum by (host)(rate)}; empty for
 *     none, or if they are not known
 * @param stepMillis distance of the points of the answer in milliseconds; 0 for none
 */
public record QueryKind(String language, String aggregation, long stepMillis) {
  private static final int TEXT_MAX = 120;

  /** Truncates long texts. */
  public QueryKind {
    language = beginning(language);
    aggregation = beginning(aggregation);
  }

  private static String beginning(String text) {
    return text.length() <= TEXT_MAX ? text : text.substring(0, TEXT_MAX);
  }
}
