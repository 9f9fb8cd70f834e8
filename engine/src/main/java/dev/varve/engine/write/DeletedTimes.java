package dev.varve.engine.write;

import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.home.DeleteTable.DeleteRecord;
import dev.varve.engine.pending.DeleteFilter;
import dev.varve.engine.pending.PendingDeletes;
import dev.varve.engine.periods.DeleteSupport;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.write.KnownSeries.KeyState;
import dev.varve.model.Column;
import dev.varve.model.TimeRange;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps samples out of times that are being deleted, in layouts whose cells do not distinguish a
 * later sample from a deleted one. Safe for use by several threads.
 */
final class DeletedTimes {
  private final OpenDataset dataset;

  DeletedTimes(OpenDataset dataset) {
    this.dataset = dataset;
  }

  /**
   * Waits for deletes that are in the way of a batch, for a short while. Called without locks.
   *
   * @throws OverloadedException if one still is
   */
  void await(List<Part> parts) {
    PendingDeletes deletes = dataset.deletes();
    long deadline = System.nanoTime() + PendingDeletes.WRITE_WAIT_MAX.toNanos();
    while (!deletes.isEmpty()) {
      List<DeleteRecord> known = deletes.all();
      TimeRange inTheWay = inTheWay(parts);
      if (inTheWay == null) {
        return;
      }
      long left = deadline - System.nanoTime();
      if (left <= 0 || !deletes.awaitChange(known, Duration.ofNanos(left))) {
        throw PendingDeletes.refusal(inTheWay);
      }
    }
  }

  /**
   * Checks that no delete is in the way of a batch. While the caller holds the lock of writers,
   * none is added.
   *
   * @throws OverloadedException if one is
   */
  void ensureNone(List<Part> parts) {
    if (!dataset.deletes().isEmpty()) {
      TimeRange inTheWay = inTheWay(parts);
      if (inTheWay != null) {
        throw PendingDeletes.refusal(inTheWay);
      }
    }
  }

  private @Nullable TimeRange inTheWay(List<Part> parts) {
    DeleteFilter filter = null;
    for (Part part : parts) {
      if (part.period().layouts().stream().allMatch(DeletedTimes::keepsStamps)) {
        continue;
      }
      if (filter == null) {
        filter = dataset.deletes().filter(TimeRange.ALL, dataset.index(), ReadGuard.NONE);
      }
      TimeRange times = TimeRange.closed(part.first(), part.last());
      KeyState state = part.series().state(dataset.index());
      for (Column column : part.group().columns()) {
        // A job also finds the series and fields that are new when it looks for them.
        int series = state.fields().has(column.field()) ? state.series() : -1;
        TimeRange deleted = filter.overlapping(series, column.field(), times);
        if (deleted != null) {
          return deleted;
        }
      }
    }
    return null;
  }

  private static boolean keepsStamps(PlacedLayout layout) {
    return DeleteSupport.keepsStamps(layout);
  }
}
