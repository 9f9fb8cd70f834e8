package dev.varve.engine.blocks;

import dev.varve.engine.error.CorruptDataException;
import dev.varve.model.TimeRange;
import java.util.List;
import java.util.function.Supplier;

/**
 * The state of a dataset in whose tables something may be damaged or lost.
 *
 * @param extent returns a range that has the times of all samples of the catalog
 * @param complete whether the catalog has lost nothing
 * @param entries receives damaged entries of the journal
 */
public record Rescue(Supplier<TimeRange> extent, boolean complete, DamagedEntries entries) {
  /** Decides about damaged entries of the journal. */
  public interface DamagedEntries {
    /** Keeps the dataset from opening. */
    DamagedEntries REFUSE =
        (text, readable) -> {
          throw new CorruptDataException(
              text + ": stop the server; 'varve check --repair' removes the entry and lists it");
        };

    /**
     * Agrees to remove an entry, by returning.
     *
     * @param text which entry, and what is wrong with it
     * @param readable the samples that can be decoded from its bytes. Some may be missing and some
     *     wrong
     */
    void remove(String text, List<Lost> readable);
  }

  /**
   * Samples of an entry.
   *
   * @param series the number of their series, which may be unknown
   * @param first their first time
   * @param last their last time
   */
  public record Lost(int series, long first, long last) {}
}
