package dev.varve.engine.config;

import dev.varve.model.HeapShares;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of an engine.
 *
 * @param directory the data directory
 * @param memory bytes that all embedded stores together may use for caches and buffers
 * @param datasets at least one, with distinct names
 * @param defaultDataset the dataset used by requests that name none
 * @param fields limits of the number of fields
 * @param catalog bytes of memory that the catalogs of all datasets may take; new series are refused
 *     beyond it
 * @param backups the only directory below which clients can have backups written; null for none
 */
public record EngineConfig(
    Path directory,
    long memory,
    List<DatasetConfig> datasets,
    String defaultDataset,
    FieldLimits fields,
    long catalog,
    @Nullable Path backups) {
  public static final long DEFAULT_MEMORY = 256L << 20;
  public static final long DEFAULT_CATALOG = HeapShares.OF_THIS_PROCESS.catalog();

  public EngineConfig {
    datasets = List.copyOf(datasets);
  }

  /** Creates a configuration without backups by clients. */
  public EngineConfig(
      Path directory,
      long memory,
      List<DatasetConfig> datasets,
      String defaultDataset,
      FieldLimits fields,
      long catalog) {
    this(directory, memory, datasets, defaultDataset, fields, catalog, null);
  }

  /** Creates a configuration with the default limits of fields and catalogs. */
  public EngineConfig(
      Path directory, long memory, List<DatasetConfig> datasets, String defaultDataset) {
    this(directory, memory, datasets, defaultDataset, FieldLimits.DEFAULTS, DEFAULT_CATALOG);
  }
}
