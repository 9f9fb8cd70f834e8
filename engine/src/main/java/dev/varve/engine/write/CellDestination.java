package dev.varve.engine.write;

import dev.varve.engine.WriteFailedException;
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

  /**
   * Writes a batch.
   *
   * @return false if the store rejects cells by which a series would be found; no sample is written
   *     then
   * @throws WriteFailedException if a store failed
   */
  boolean write(GatheredBatch batch) {
    return new CellWrite(this, batch).run();
  }
}
