package dev.varve.engine;

/**
 * How far the rebuild of a catalog is.
 *
 * @param rows read so far, those of an earlier run that was interrupted not counted
 * @param series found so far that the catalog did not have
 * @param damaged rows that are none of the layout; they are left out
 * @param bytes of keys, qualifiers and values that the store has read for it; 0 where the layout's
 *     own index was asked
 */
public record RebuildProgress(long rows, long series, long damaged, long bytes) {
  /** A rebuild that has read nothing yet. */
  public static final RebuildProgress NONE = new RebuildProgress(0, 0, 0, 0);

  /** Adds the progress in another table. */
  public RebuildProgress plus(RebuildProgress other) {
    return new RebuildProgress(
        rows + other.rows, series + other.series, damaged + other.damaged, bytes + other.bytes);
  }
}
