package dev.varve.engine.write;

import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;

/** Decides how far beyond its samples the extent of a key is written. */
final class Extents {
  /*
   * A key that is written to for a year should not have its extent written at every sample, nor at
   * midnight together with all others. So the end is put ahead of the samples by two days, or an
   * eighth of the length once that is more, of which every key takes a share of its own from its
   * identity, one half at least.
   */
  private static final long STEP_SECONDS = 2 * 24 * 3600;
  private static final int SHARE_OF_LENGTH = 8;

  private Extents() {}

  /**
   * An extent that holds one that stands and some samples.
   *
   * @param standing empty where none stands
   * @param first the time of the earliest of the samples
   * @param last the time of the latest
   * @param spread bits by which keys differ
   */
  static TimeRange grown(
      TimeRange standing, long first, long last, Resolution resolution, long spread) {
    boolean isNew = standing.isEmpty();
    double length = isNew ? 0 : (double) standing.to() - standing.from();
    double step =
        Math.max((double) STEP_SECONDS * resolution.perSecond(), length / SHARE_OF_LENGTH);
    long ahead = (long) (step * (0.5 + (spread & 0xff) / 512.0));
    long from = isNew ? first : first < standing.from() ? minus(first, ahead) : standing.from();
    long to = isNew || last >= standing.to() ? plus(last, ahead) : standing.to();
    return new TimeRange(from, to);
  }

  private static long plus(long time, long ahead) {
    return time > Long.MAX_VALUE - ahead ? Long.MAX_VALUE : time + ahead;
  }

  private static long minus(long time, long ahead) {
    return time < Long.MIN_VALUE + ahead ? Long.MIN_VALUE : time - ahead;
  }
}
