package dev.varve.server.opentsdb.rollup;

import dev.varve.engine.Dataset;
import dev.varve.engine.NameTable;
import dev.varve.engine.SideDatasets;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.layout.opentsdb.RollupConfig;
import dev.varve.layout.opentsdb.RollupInterval;
import dev.varve.model.GroupKey;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The roll-ups of a dataset, and the datasets in which they are.
 *
 * @param datasets finds a dataset by its name, as the caller may use it
 */
public record Rollups(Dataset dataset, Function<String, Dataset> datasets) {
  /** Returns the configuration; null if the dataset has no roll-ups. */
  public @Nullable RollupConfig config() {
    return dataset.config().rollups();
  }

  /**
   * Gives the names of a series UIDs in the tables of the dataset, as a point of it would, if the
   * tables are our own: those of roll-ups then have UIDs of their own.
   *
   * @throws dev.varve.engine.error.QueryRefusedException if a name cannot have one
   * @throws dev.varve.engine.error.WriteFailedException if the table cannot be written
   */
  public void name(GroupKey key) {
    NameTable names = dataset.originals().names();
    if (names == null || dataset.config().attached() != null) {
      return;
    }
    names.assign(NameTable.Part.METRIC, key.metric());
    key.tags()
        .toMap()
        .forEach((name, value) -> {
          names.assign(NameTable.Part.TAG_NAME, name);
          names.assign(NameTable.Part.TAG_VALUE, value);
        });
  }

  /** Returns all these datasets. */
  public List<Dataset> all() {
    return SideDatasets.of(dataset.config()).stream()
        .map(DatasetConfig::name)
        .map(datasets)
        .toList();
  }

  /** Returns the dataset of the roll-ups of an interval that is not the default. */
  public Dataset of(RollupInterval interval) {
    return datasets.apply(SideDatasets.rollups(dataset.name(), interval));
  }

  /** Returns the dataset of the pre-aggregates of an interval. */
  public Dataset preAggregates(RollupInterval interval) {
    return datasets.apply(SideDatasets.preAggregates(dataset.name(), interval));
  }
}
