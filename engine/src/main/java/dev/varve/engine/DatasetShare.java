package dev.varve.engine;

import dev.varve.engine.catalog.CatalogBudget;
import dev.varve.engine.write.Admission;

/**
 * What a dataset may use of what all datasets of an engine have together.
 *
 * @param admission bounds the batches under way into all datasets
 * @param fields limits of the fields of series
 * @param catalogs limits the memory of all catalogs
 * @param caches bytes that the caches of this dataset may hold
 */
record DatasetShare(Admission admission, FieldLimits fields, CatalogBudget catalogs, long caches) {
  /** Bytes for what the writer remembers of series. */
  long seriesCache() {
    return caches / 2;
  }

  /** Bytes for what layouts have looked up in their own tables, such as UIDs. */
  long lookUpCache() {
    return caches / 2;
  }
}
