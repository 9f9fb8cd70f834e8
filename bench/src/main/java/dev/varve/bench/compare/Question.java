package dev.varve.bench.compare;

import java.util.Map;

/**
 * A query with its times, in the languages that can express it.
 *
 * @param texts in languages other than PromQL and MetricsQL with the times in them
 * @param start of the first step, in ms since 1970
 * @param end of the last step, in ms since 1970
 * @param step in ms; 0 for a query at {@code end} alone
 */
record Question(Map<Language, String> texts, long start, long end, long step) {
  /**
   * Asks for buckets: a step each, evaluated 1 ms before the bucket's end, so that servers that
   * include the start of a range and those that do not see the same samples.
   */
  static Question ofBuckets(Map<Language, String> texts, long from, long until, long bucket) {
    return new Question(texts, from + bucket - 1, until - 1, bucket);
  }

  /** Asks for the samples of a range, which lie at the steps. */
  static Question ofRange(Map<Language, String> texts, long from, long until, long step) {
    return new Question(texts, from, until - step, step);
  }

  /** Asks for a range in words that PromQL and MetricsQL share. */
  static Question ofRange(String text, long from, long until, long step) {
    return ofRange(shared(text), from, until, step);
  }

  static Question ofInstant(Map<Language, String> texts, long time) {
    return new Question(texts, time, time, 0);
  }

  static Map<Language, String> shared(String text) {
    return Map.of(Language.PROMQL, text, Language.METRICSQL, text);
  }

  String text(Language language) {
    String text = texts.get(language);
    if (text == null) {
      throw new IllegalArgumentException("there is no %s for this query".formatted(language));
    }
    return text;
  }
}
