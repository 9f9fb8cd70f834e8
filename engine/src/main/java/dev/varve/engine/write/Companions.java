package dev.varve.engine.write;

import dev.varve.engine.WriteFailedException;
import dev.varve.engine.home.MarkerTable;
import dev.varve.engine.home.MarkerTable.Marker;
import dev.varve.model.TimeRange;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The markers of writes that go to companion layouts as well: a write that has a marker may be
 * missing there.
 */
public final class Companions {
  private final Applier applier;

  /** Held by whoever writes into companions, so that all layouts see the same order. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Map<Long, Marker> standing = new ConcurrentSkipListMap<>();

  Companions(MarkerTable table, Applier applier) {
    this.applier = applier;
    table.all().forEach(marker -> standing.put(marker.stamp(), marker));
  }

  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  /**
   * Puts a marker before anything that is written next.
   *
   * @throws WriteFailedException if that fails
   */
  void put(Marker marker) {
    if (marker.written().isEmpty()) {
      return;
    }
    standing.put(marker.stamp(), marker);
    MutationBatch edit = new MutationBatch();
    MarkerTable.put(edit, marker);
    applier.apply(edit, edit.size(), Durability.ORDERED);
  }

  /** Takes a marker away: what it marks stands in all layouts. */
  void remove(Marker marker) {
    if (marker.written().isEmpty()) {
      return;
    }
    MutationBatch edit = new MutationBatch();
    MarkerTable.delete(edit, marker);
    applier.apply(edit, edit.size(), Durability.ORDERED);
    standing.remove(marker.stamp());
  }

  /**
   * Does what a marker asks for while nobody else writes, and takes the marker away; nothing where
   * it stands no more.
   */
  public void repair(Marker marker, Runnable copy) {
    lock.lock();
    try {
      if (standing.containsKey(marker.stamp())) {
        copy.run();
        remove(marker);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The markers that stand, oldest first. */
  public List<Marker> standing() {
    return List.copyOf(standing.values());
  }

  /** Whether a period's companions may lack something of a stretch of time. */
  public boolean mayLack(int period, TimeRange times) {
    return standing.values().stream()
        .flatMap(marker -> marker.written().stream())
        .anyMatch(written -> written.period() == period && written.times().overlaps(times));
  }
}
