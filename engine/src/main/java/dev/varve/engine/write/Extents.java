package dev.varve.engine.write;

import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;

/** Decides by how much the stored extent of a key exceeds its samples. */
final class Extents {
  /*
   * A key that receives samples for a year should not have its extent written with every sample,
   * nor at midnight together with all others. The end of an extent is therefore put ahead of the
   * samples by two days, or by an eighth of its length once that is more. Each key takes its own
   * share of that lead, between one half and all of it, derived from its identity.
   */
  private static final long STEP_SECONDS = 2 * 24 * 3600;
  private static final int SHARE_OF_LENGTH = 8;

  private Extents() {}

  /**
   * Returns an extent that covers an existing one and some samples.
   *
   * @param known the existing extent; empty if there is none
   * @param first the time of the earliest sample
   * @param last the time of the latest sample
   * @param spread bits that differ between keys
   */
  static TimeRange grown(
      TimeRange known, long first, long last, Resolution resolution, long spread) {
    boolean isNew = known.isEmpty();
    double length = isNew ? 0 : (double) known.to() - known.from();
    double step =
        Math.max((double) STEP_SECONDS * resolution.perSecond(), length / SHARE_OF_LENGTH);
    long ahead = (long) (step * (0.5 + (spread & 0xff) / 512.0));
    long from = isNew ? first : first < known.from() ? minus(first, ahead) : known.from();
    long to = isNew || last >= known.to() ? plus(last, ahead) : known.to();
    return new TimeRange(from, to);
  }

  private static long plus(long time, long ahead) {
    return time > Long.MAX_VALUE - ahead ? Long.MAX_VALUE : time + ahead;
  }

  private static long minus(long time, long ahead) {
    return time < Long.MIN_VALUE + ahead ? Long.MIN_VALUE : time - ahead;
  }
}
