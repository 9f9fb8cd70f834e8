package dev.varve.engine;

import dev.varve.engine.catalog.SeriesBounds;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.write.BatchWithin;
import dev.varve.model.Batch;
import dev.varve.model.Selector;
import org.jspecify.annotations.Nullable;

/**
 * A dataset as one user sees it.
 *
 * @param bounds the series that may be used; null for all
 */
record DatasetView(DatasetParts parts, @Nullable SeriesBounds bounds) {
  Selector bound(Selector selector) {
    return bounds == null ? selector : bounds.and(selector);
  }

  ReadRequest bound(ReadRequest request) {
    return bounds == null ? request : request.with(bounds.and(request.selector()));
  }

  /**
   * Refuses an operation that concerns all series if the user is restricted to some.
   *
   * @param what the subject of the error message
   */
  void refuseWithin(String what) {
    if (bounds != null) {
      throw new QueryRefusedException(
          "%s cannot be limited to the series that you may use: %s".formatted(what, bounds.text()));
    }
  }

  void refuseOutside(Batch batch) {
    if (bounds != null) {
      BatchWithin within = new BatchWithin(batch, bounds);
      if (!within.isWhole()) {
        throw new QueryRefusedException(within.firstRefusal());
      }
    }
  }

  /** Refuses reads while the catalog is incomplete, because they would return partial results. */
  void refuseWithoutCatalog() {
    if (!parts.refresh().isComplete()) {
      throw new QueryRefusedException(
          "the catalog of dataset '%s' is being rebuilt from its rows: %,d rows read, %,d series found so far; try again later"
              .formatted(
                  parts.open().name(),
                  parts.refresh().progress().rows(),
                  parts.refresh().progress().series()));
    }
  }
}
