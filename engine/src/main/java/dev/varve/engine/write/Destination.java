package dev.varve.engine.write;

import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.WriteFailedException;

/** The destination of batches: cells or blocks. Safe for use by several threads. */
sealed interface Destination permits CellDestination, BlockDestination {
  /** The outcome of a batch. */
  enum Outcome {
    /** Its samples are written, except for those that the tally counts as refused. */
    WRITTEN,
    /** The store rejects cells by which a series would be found. Nothing is written. */
    KEY_REJECTED,
    /**
     * The period of some samples or the name of a series has changed meanwhile, so the batch must
     * be sorted again. Nothing is written.
     */
    MISPLACED
  }

  /**
   * Writes a batch and returns once it is as durable as the destination makes it.
   *
   * @throws WriteFailedException if a store failed
   * @throws OverloadedException if too much is waiting to be written; nothing was written
   */
  Outcome write(GatheredBatch batch);
}
