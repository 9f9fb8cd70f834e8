package dev.varve.engine.advice;

/** The rules of the advisor. Their identifiers are stable. */
public enum Rule {
  TIME_FIRST(
      "time-first",
      "Time at the front of the key sends all writes to one place that moves on: promote a part of the series."),
  HOT_PREFIX(
      "hot-prefix",
      "Few prefixes before the time take most writes: promote a tag, or salt as a last resort."),
  WIDE_BUCKETS(
      "wide-buckets",
      "A bucket much longer than what queries ask for is read for nothing, and its rows outgrow the store: narrow it."),
  NARROW_BUCKETS(
      "narrow-buckets",
      "A query should read 1 to 50 rows of a series: widen the bucket if it reads more."),
  TALL_ROWS(
      "tall-rows",
      "One row a sample costs a row for each sample read; where partitions are hashed, it also makes a partition of each sample or one without end: use buckets."),
  LABEL_ORDER(
      "label-order",
      "The label that queries bind should come before those that they leave open, so that what they ask for is one range."),
  CHURN_BEHIND(
      "churn-behind",
      "Labels that queries do not bind go after the time, so that all series of a bucket are one range."),
  NEWEST_FIRST(
      "newest-first",
      "Readers of the newest samples should find them in rows of their own, from the end that a scan reaches first."),
  COMPANION(
      "companion",
      "Two kinds of queries that matter alike and need different keys need two layouts of the same series."),
  SALT(
      "salt",
      "A salt spreads writes that no part of the series spreads; each query reads every salt."),
  BLOCKS(
      "blocks",
      "On one machine samples belong into compressed blocks of a series and day: one cell a sample costs many times their bytes, and a query reads each of them."),
  RETENTION("retention", "Samples that no query reads need not be kept."),
  KEEP("keep", "A change costs a migration: the gain has to be worth it.");

  private final String id;
  private final String about;

  Rule(String id, String about) {
    this.id = id;
    this.about = about;
  }

  public String id() {
    return id;
  }

  /** Returns the rule in a sentence. */
  public String about() {
    return about;
  }
}
