package dev.varve.server.heroic.aggregation;

import dev.varve.query.running.QueryUse;
import dev.varve.server.heroic.error.Limit;
import dev.varve.server.heroic.error.LimitExceededException;
import dev.varve.server.heroic.series.HeroicSeries;
import java.util.Set;

/** Counts what the aggregation of one query holds, against the query's limits. */
public final class Retained {
  /** Updates between two checks whether the query was cancelled. */
  private static final int CHECK_EVERY = 1 << 14;

  /** Memory of an entry of a set, in bytes. */
  private static final int SET_BYTES = 60;

  private final QueryUse use;
  private final long limit;
  private long retained;
  private long samples;
  private int updates;

  /**
   * Creates a count.
   *
   * @param limit maximum number of points and buckets; Heroic's {@code aggregationLimit}
   */
  public Retained(QueryUse use, long limit) {
    this.use = use;
    this.limit = limit;
  }

  /**
   * Holds points or buckets until the query ends.
   *
   * @param bytes their memory
   * @throws LimitExceededException if they are more than the request allows
   */
  void retain(long count, long bytes, String what) {
    retained += count;
    if (retained > limit) {
      throw new LimitExceededException(
          Limit.AGGREGATION,
          "aggregation needs to retain more data then what is allowed: " + limit);
    }
    use.held(bytes, what);
  }

  /** Adds series to those of a line of the result, and holds those that are new. */
  void add(Set<HeroicSeries> more, Set<HeroicSeries> into) {
    for (HeroicSeries series : more) {
      if (into.add(series)) {
        use.held(SET_BYTES + series.bytes(), "series of a query");
      }
    }
  }

  /** Holds other memory until the query ends. */
  void hold(long bytes, String what) {
    use.held(bytes, what);
  }

  /** Counts samples that buckets took. */
  void sampled(long more) {
    samples += more;
  }

  /** Called for every update of a bucket. */
  void tick() {
    if (++updates % CHECK_EVERY == 0) {
      use.ensureWanted();
    }
  }

  /** Returns how many samples buckets took, of all stages. */
  public long samples() {
    return samples;
  }
}
