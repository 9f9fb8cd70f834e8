package dev.varve.engine.write;

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
    SeriesCache series,
    TableWriters tables,
    IndexCells index,
    Applier home,
    @Nullable Companions companions,
    WriteStop stopped)
    implements Destination {
  @Override
  public Outcome write(GatheredBatch batch) {
    return new CellWrite(this, batch).run();
  }
}
