package dev.varve.engine;

import dev.varve.store.Store;
import dev.varve.store.StoreException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The datasets of one directory, with the stores that they lie in and the clock that they share.
 * Safe for use by several threads.
 */
public final class Engine implements AutoCloseable {
  private final EngineConfig config;
  private final Stores stores;
  private final Map<String, Dataset> datasets;

  private Engine(EngineConfig config, Stores stores, Map<String, Dataset> datasets) {
    this.config = config;
    this.stores = stores;
    this.datasets = datasets;
  }

  /**
   * Opens the stores and datasets of a configuration, and makes what is missing.
   *
   * @throws InvalidConfigException if the configuration contradicts itself, or a store or guardrail
   *     refuses it
   * @throws StoreException if a store cannot be opened
   */
  public static Engine open(EngineConfig config) {
    return open(config, Stores.Opener.OF_SERVICES);
  }

  static Engine open(EngineConfig config, Stores.Opener opener) {
    List<String> problems = ConfigCheck.problems(config);
    if (!problems.isEmpty()) {
      throw new InvalidConfigException(problems);
    }
    Stores stores = new Stores(config, opener);
    Map<String, Dataset> datasets = new LinkedHashMap<>();
    try {
      for (DatasetConfig dataset : config.datasets()) {
        Store store = stores.of(dataset);
        datasets.put(dataset.name(), new Dataset(dataset, store));
      }
    } catch (RuntimeException e) {
      stores.close();
      throw e;
    }
    return new Engine(config, stores, datasets);
  }

  /**
   * Finds a dataset by its name.
   *
   * @throws UnknownDatasetException if there is none of that name
   */
  public Dataset dataset(String name) {
    Dataset dataset = datasets.get(name);
    if (dataset == null) {
      throw new UnknownDatasetException(name, List.copyOf(datasets.keySet()));
    }
    return dataset;
  }

  /** The dataset that answers where none is named. */
  public Dataset defaultDataset() {
    return dataset(config.defaultDataset());
  }

  /** All datasets, in the order of the configuration. */
  public List<Dataset> datasets() {
    return new ArrayList<>(datasets.values());
  }

  /**
   * Figures of the engine and its stores for their operator, by name in Prometheus' style; what
   * belongs to one dataset or store carries its name as a label.
   */
  public Map<String, Double> figures() {
    return stores.figures();
  }

  /** Closes datasets and stores. Closing twice is allowed; every later call fails. */
  @Override
  public void close() {
    stores.close();
  }
}
