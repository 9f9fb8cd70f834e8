package dev.varve.engine.progress;

import org.jspecify.annotations.Nullable;

/**
 * The progress of the removal of deleted samples from the tables. Counts include all layouts of all
 * periods, and restart when the removal does.
 *
 * @param rows rows read
 * @param samples samples removed
 * @param cells cells removed
 * @param rewritten cells replaced by others with the samples that remain
 * @param damaged cells that cannot be decoded and were left alone
 * @param series keys of series that were removed with their labels, because nothing was left
 * @param problem why the removal has stopped for now and will be retried; null if it is proceeding
 */
public record DeletionProgress(
    State state,
    long rows,
    long samples,
    long cells,
    long rewritten,
    long damaged,
    long series,
    @Nullable String problem) {
  public enum State {
    /** Hidden from reads, not removed yet. */
    WAITING,
    REMOVING,
    DONE,
    CANCELLED
  }

  public boolean hasEnded() {
    return state == State.DONE || state == State.CANCELLED;
  }
}
