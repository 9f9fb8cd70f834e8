package dev.varve.bench;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.StorageLayout;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * An engine with one dataset in a temporary folder, which is deleted when the engine is closed.
 *
 * @param folder where it keeps its files
 */
record ScratchEngine(ScratchFolder folder, Engine engine) implements AutoCloseable {
  /**
   * Opens an engine with an empty dataset of one period.
   *
   * @param wholeTableScans whether queries may scan whole tables
   * @param memory of the engine, in bytes
   */
  static ScratchEngine open(
      StoreConfig store, List<StorageLayout> layouts, boolean wholeTableScans, long memory)
      throws IOException {
    DatasetConfig dataset =
        new DatasetConfig(
            "main",
            store,
            List.of(new PeriodConfig(Instant.MIN, layouts)),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            wholeTableScans);
    ScratchFolder folder = ScratchFolder.make();
    return new ScratchEngine(
        folder, Engine.open(new EngineConfig(folder.path(), memory, List.of(dataset), "main")));
  }

  Dataset dataset() {
    return engine.defaultDataset();
  }

  @Override
  public void close() throws IOException {
    engine.close();
    folder.close();
  }
}
