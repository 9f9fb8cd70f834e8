package dev.varve.matrix.differential;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.layout.registry.Layouts;
import dev.varve.matrix.VarveServer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The servers with Varve's side of the points. */
final class Datasets {
  private Datasets() {}

  /** Starts a server with an empty dataset in a layout, in RocksDB. */
  static VarveServer serve(Path directory, String layout) {
    return VarveServer.start(directory, dataset(layout));
  }

  /** Returns an empty dataset in a layout, in RocksDB. */
  static DatasetConfig dataset(String layout) {
    return new DatasetConfig(
        "main",
        new StoreConfig("rocksdb", Map.of()),
        List.of(new PeriodConfig(Instant.MIN, Layouts.stored(layout, Map.of()))),
        null,
        DatasetConfig.Duplicates.LAST,
        Set.of(),
        false);
  }
}
