package dev.varve.cli.migrate;

import dev.varve.cli.target.Target.Filled;
import dev.varve.engine.progress.FillResult.Day;

/**
 * Counts of a migration.
 *
 * @param read samples of the source
 * @param days series and days that were compared; one with many samples is compared in parts
 * @param written samples that the target took
 * @param equal days whose digests are equal on both sides
 * @param own instants at which the target has a sample of its own, which stays
 * @param refused samples that the target does not take
 * @param dropped samples that the rules of the target's server drop
 * @param coerced integers that the target has as equal doubles
 * @param lost samples that the target should have and does not have
 */
record Totals(
    long read,
    long days,
    long written,
    long equal,
    long own,
    long refused,
    long dropped,
    long coerced,
    long lost) {
  static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0, 0, 0, 0);

  /**
   * Adds a batch.
   *
   * @param samples samples of the source in it
   * @param unfit samples that were not sent because the target cannot have their time
   */
  Totals plus(long samples, long unfit, Filled filled) {
    long same = filled.days().stream().filter(Totals::isEqual).count();
    return new Totals(
        read + samples,
        days + filled.days().size(),
        written + filled.accepted(),
        equal + same,
        own + filled.days().stream().mapToLong(Day::other).sum(),
        refused + unfit + filled.refused(),
        dropped + filled.dropped(),
        coerced + filled.coerced(),
        lost + Math.max(0, filled.lost()));
  }

  /** Returns whether all samples of a day are the same on both sides. */
  static boolean isEqual(Day day) {
    return day.missing() == 0 && day.given().equals(day.held());
  }
}
