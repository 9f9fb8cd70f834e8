package dev.varve.query;

/**
 * What a query may use.
 *
 * @param memory bytes of samples that the operators of one query may hold, together; a query that
 *     needs more is refused on the way, unless it can be answered piece by piece
 * @param cells cells that the stores may look at
 * @param bytes bytes of those cells
 */
public record QueryLimits(long memory, long cells, long bytes) {
  /** A sixteenth of the heap, between 8 and 256 MiB, and all that the stores can give. */
  public static final QueryLimits DEFAULTS =
      new QueryLimits(
          Math.clamp(Runtime.getRuntime().maxMemory() / 16, 8L << 20, 256L << 20),
          Long.MAX_VALUE,
          Long.MAX_VALUE);
}
