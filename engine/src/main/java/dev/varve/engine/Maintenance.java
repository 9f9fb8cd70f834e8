package dev.varve.engine;

import dev.varve.engine.convert.BlockConversion;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.progress.CompactionProgress;
import dev.varve.engine.progress.ConversionProgress;
import dev.varve.engine.progress.RebuildProgress;
import dev.varve.engine.read.RowWalk;
import dev.varve.engine.repair.RowCompaction;
import dev.varve.engine.request.ReadRequest;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Maintenance of the tables of a dataset, which changes no query result: rebuilds of the catalog,
 * compaction and conversion. Safe for use by several threads.
 */
public final class Maintenance {
  private final DatasetView view;
  private final DatasetParts parts;

  Maintenance(DatasetView view) {
    this.view = view;
    this.parts = view.parts();
  }

  /**
   * Finds the series that other programs wrote to the tables of the dataset, by their rows. Waits
   * for a rebuild in progress. Resumes an interrupted rebuild where it stopped.
   *
   * @param progress receives progress from time to time, on the calling thread
   */
  public void rebuildCatalog(Consumer<RebuildProgress> progress) {
    view.refuseWithin("the rebuild of a catalog");
    parts.refresh().rebuild(progress);
  }

  /**
   * Compacts the rows of series in every layout that supports it. Reads return the same samples
   * from fewer cells. Can be interrupted at any time and run again. Writers wait while rows are
   * rewritten, a few at a time.
   *
   * @param progress receives progress from time to time, on the calling thread
   * @param stopped polled from time to time; true stops the compaction
   * @return the result, which is durable
   * @throws QueryRefusedException if no layout supports compaction, or as {@link Dataset#read}
   * @throws WriteFailedException if a store failed
   */
  public CompactionProgress compact(
      ReadRequest request, Consumer<CompactionProgress> progress, BooleanSupplier stopped) {
    if (parts.open().config().isReadOnly()) {
      throw new QueryRefusedException(
          "dataset '%s' is attached read-only: the rows of foreign tables are not rewritten"
              .formatted(parts.open().name()));
    }
    view.refuseWithoutCatalog();
    if (parts.open().periods().all().stream()
        .flatMap(period -> period.layouts().stream())
        .noneMatch(Maintenance::compacts)) {
      throw new QueryRefusedException(
          "no layout of dataset '%s' has compacted rows; 'opentsdb' has"
              .formatted(parts.open().name()));
    }
    List<RowWalk> walks = parts.reader().rows(view.bound(request), Maintenance::compacts);
    try {
      RowCompaction compaction =
          new RowCompaction(parts.open(), parts.writer().tables(), progress, stopped);
      walks.forEach(compaction::run);
      return compaction.end();
    } finally {
      walks.forEach(RowWalk::close);
    }
  }

  /**
   * Converts the cells of all earlier periods into blocks of the last one. Reads return the same
   * samples. Can be interrupted at any time and run again, beside readers and writers.
   *
   * @param progress receives progress from time to time, on the calling thread
   * @param stopped polled from time to time; true ends the conversion
   * @return the progress, which is durable
   * @throws QueryRefusedException if something would be lost, if the last period is not in blocks
   *     or lies in the future, or if the dataset is being converted already
   * @throws WriteFailedException if a store failed
   */
  public ConversionProgress convertIntoBlocks(
      Consumer<ConversionProgress> progress, BooleanSupplier stopped) {
    view.refuseWithin("a conversion");
    view.refuseWithoutCatalog();
    if (!parts.converting().tryLock()) {
      throw new QueryRefusedException(
          "dataset '%s' is being converted into blocks already".formatted(parts.open().name()));
    }
    try {
      return new BlockConversion(parts.open(), parts.reader(), parts.writer(), progress, stopped)
          .run();
    } finally {
      parts.converting().unlock();
    }
  }

  private static boolean compacts(PlacedLayout placed) {
    return placed.layout().compaction().isPresent();
  }
}
