package dev.varve.engine;

import java.nio.file.Path;
import java.util.List;

/**
 * What a server holds.
 *
 * @param directory where everything of the server's own lives
 * @param memory bytes that the stores inside the process may use for caches and buffers, together
 * @param datasets at least one, names distinct
 * @param defaultDataset the one that answers where none is named
 * @param fields limits of the fields of series
 * @param catalog bytes of memory that the catalogs of all datasets may take; new series are refused
 *     beyond it
 */
public record EngineConfig(
    Path directory,
    long memory,
    List<DatasetConfig> datasets,
    String defaultDataset,
    FieldLimits fields,
    long catalog) {
  public static final long DEFAULT_MEMORY = 256L << 20;
  public static final long DEFAULT_CATALOG = HeapShares.OF_THIS_PROCESS.catalog();

  public EngineConfig {
    datasets = List.copyOf(datasets);
  }

  /** A configuration with the default limits of fields and catalogs. */
  public EngineConfig(
      Path directory, long memory, List<DatasetConfig> datasets, String defaultDataset) {
    this(directory, memory, datasets, defaultDataset, FieldLimits.DEFAULTS, DEFAULT_CATALOG);
  }
}
