package dev.varve.engine.progress;

/**
 * The progress of a rebuild of the catalog.
 *
 * @param rows rows read so far, not counting an earlier run that was interrupted
 * @param series new series found so far
 * @param damaged rows that the layout cannot decode; they are skipped
 * @param bytes bytes of keys, qualifiers and values that the store has read; 0 if the layout's own
 *     index is read
 */
public record RebuildProgress(long rows, long series, long damaged, long bytes) {
  /** The progress of a rebuild that has read nothing yet. */
  public static final RebuildProgress NONE = new RebuildProgress(0, 0, 0, 0);

  /** Returns the sum of this progress and that of another table. */
  public RebuildProgress plus(RebuildProgress other) {
    return new RebuildProgress(
        rows + other.rows, series + other.series, damaged + other.damaged, bytes + other.bytes);
  }
}
