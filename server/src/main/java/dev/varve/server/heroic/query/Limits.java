package dev.varve.server.heroic.query;

import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.json.Node;
import org.jspecify.annotations.Nullable;

/**
 * Heroic's limits of a query, each {@link Long#MAX_VALUE} for none.
 *
 * @param series number of series read
 * @param groups number of lines of the result
 * @param data number of samples read
 * @param aggregation number of points and buckets held
 * @param fail whether a query beyond the first two fails, instead of being cut
 */
record Limits(long series, long groups, long data, long aggregation, boolean fail) {
  static final Limits NONE =
      new Limits(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, false);

  static Limits of(@Nullable Node options) {
    if (options == null) {
      return NONE;
    }
    Node fail = options.get("failOnLimits");
    return new Limits(
        limit(options.get("seriesLimit")),
        limit(options.get("groupLimit")),
        limit(options.get("dataLimit")),
        limit(options.get("aggregationLimit")),
        fail != null && fail.truth());
  }

  private static long limit(@Nullable Node node) {
    if (node == null) {
      return Long.MAX_VALUE;
    }
    long limit = node.whole();
    if (limit < 0) {
      throw HeroicError.json("a limit must be at least 0, not " + limit, node.path());
    }
    return limit;
  }
}
