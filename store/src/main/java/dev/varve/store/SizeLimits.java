package dev.varve.store;

/**
 * Sizes in bytes, beyond which a store refuses (hard) or suffers (soft). Adapters refuse before the
 * store is asked.
 *
 * @param rowKey hard; no store takes an empty one
 * @param qualifier hard
 * @param softValue from here on values are warned about
 * @param hardValue hard
 * @param softRow from here on whole rows, or partitions, are warned about
 * @param hardRow what cannot be read any more beyond; {@link Long#MAX_VALUE} where there is no such
 *     bound
 * @param families how many families a table should have at most
 * @param editsPerRow edits in one mutation, hard
 * @param mutationBytes bytes of one mutation, hard: of each edit its row key, qualifier and value,
 *     and {@link #EDIT_BYTES} more; {@link Long#MAX_VALUE} where there is no such bound
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
  /** What an edit counts beside its bytes. */
  public static final int EDIT_BYTES = 64;

  /** Limits of a store that takes mutations of any weight. */
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

  /** What an edit of a batch counts for {@link #mutationBytes}. */
  public static long editBytes(MutationBatch batch, int edit) {
    CellBatch cells = batch.cells();
    return (long) cells.rowLength(edit)
        + cells.qualifierLength(edit)
        + cells.valueLength(edit)
        + EDIT_BYTES;
  }
}
