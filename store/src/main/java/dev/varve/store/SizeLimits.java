package dev.varve.store;

/**
 * Size limits in bytes. A store rejects sizes above a hard limit and degrades above a soft one.
 * Adapters check before they call the store.
 *
 * @param rowKey hard; no store accepts an empty key
 * @param qualifier hard
 * @param softValue size from which values cause a warning
 * @param hardValue hard
 * @param softRow size from which whole rows, or partitions, cause a warning
 * @param hardRow size beyond which a row can no longer be read; {@link Long#MAX_VALUE} if unbounded
 * @param families recommended maximum number of families in a table
 * @param editsPerRow hard; edits in one mutation
 * @param mutationBytes hard; the sum over a mutation's edits of row key, qualifier, value and
 *     {@link #EDIT_BYTES}; {@link Long#MAX_VALUE} if unbounded
 */
public record SizeLimits(
    int rowKey,
    int qualifier,
    int softValue,
    int hardValue,
    long softRow,
    long hardRow,
    int families,
    int editsPerRow,
    long mutationBytes) {
  /** Fixed overhead of an edit towards {@link #mutationBytes}. */
  public static final int EDIT_BYTES = 64;

  /** Creates limits for a store that does not bound the bytes of a mutation. */
  public SizeLimits(
      int rowKey,
      int qualifier,
      int softValue,
      int hardValue,
      long softRow,
      long hardRow,
      int families,
      int editsPerRow) {
    this(
        rowKey,
        qualifier,
        softValue,
        hardValue,
        softRow,
        hardRow,
        families,
        editsPerRow,
        Long.MAX_VALUE);
  }

  /** Returns the bytes of an edit that count towards {@link #mutationBytes}. */
  public static long editBytes(MutationBatch batch, int edit) {
    CellBatch cells = batch.cells();
    return (long) cells.rowLength(edit)
        + cells.qualifierLength(edit)
        + cells.valueLength(edit)
        + EDIT_BYTES;
  }
}
