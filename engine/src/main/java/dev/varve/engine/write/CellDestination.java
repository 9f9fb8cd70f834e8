package dev.varve.engine.write;

import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.tables.Applier;
import org.jspecify.annotations.Nullable;

/**
 * Writes batches as cells of the layouts of their periods. Safe for use by several threads.
 *
 * @param companions markers of writes into companions; null if no period has companions
 */
record CellDestination(
    OpenDataset dataset,
    TableWriters tables,
    IndexCells index,
    Applier home,
    @Nullable Companions companions) {

  /** What became of a batch. */
  enum Outcome {
    /** Its samples are written, except for those that the tally has. */
    WRITTEN,
    /** The store rejects cells by which a series would be found. Nothing is written. */
    KEY_REJECTED,
    /**
     * The period of some samples has changed meanwhile, so the batch must be sorted again. Nothing
     * is written.
     */
    MISPLACED
  }

  /**
   * Writes a batch.
   *
   * @throws WriteFailedException if a store failed
   */
  Outcome write(GatheredBatch batch) {
    return new CellWrite(this, batch).run();
  }
}
