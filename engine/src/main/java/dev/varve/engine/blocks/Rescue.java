package dev.varve.engine.blocks;

import dev.varve.engine.error.CorruptDataException;
import dev.varve.model.TimeRange;
import java.util.List;
import java.util.function.Supplier;

/**
 * The information with which the possibly damaged tables of a dataset are opened.
 *
 * @param extent returns a range that contains the times of all samples in the catalog
 * @param complete whether the catalog has lost nothing
 * @param entries decides about damaged entries of the journal
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
     * Decides about a damaged entry. The entry is removed if this method returns, and stays if it
     * throws.
     *
     * @param text the entry and what is wrong with it
     * @param readable the samples that can be decoded from its bytes; some may be missing, and some
     *     wrong
     */
    void remove(String text, List<Lost> readable);
  }

  /**
   * Samples of one series in an entry.
   *
   * @param series the number of the series, which the catalog may lack
   * @param first the time of the earliest sample
   * @param last the time of the latest sample
   */
  public record Lost(int series, long first, long last) {}
}
