package dev.varve.engine.write;

import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.home.MarkerTable;
import dev.varve.engine.home.MarkerTable.Marker;
import dev.varve.engine.tables.Applier;
import dev.varve.engine.tables.Applier.Rejected;
import dev.varve.model.TimeRange;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The markers of writes into companion layouts. A companion may lack a write that has a marker.
 * Safe for use by several threads.
 */
public final class Companions {
  /**
   * Maximum number of marked spans of keys, which take some tens of megabytes. Without it, a store
   * that fails for hours would fill the memory with pending repairs.
   */
  private static final int MARKED_MAX = 100_000;

  private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

  /**
   * Age from which a write with an unknown outcome counts as lost if it is not in the primary. If
   * its marker were replayed earlier, the write could arrive after the marker is removed.
   */
  private static final long MAY_ARRIVE_MICROS = 60_000_000L;

  /** Age from which a marker of another server counts as abandoned. */
  private static final long ABANDONED_MICROS = 600_000_000L;

  private final MarkerTable table;
  private final Applier applier;

  /** Held by every write into companions, so that all layouts receive writes in the same order. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Set<Marker> pending = new ConcurrentSkipListSet<>();

  /** Our own markers whose write into the primary has ended, successfully or not. */
  private final Set<Marker> ended = new ConcurrentSkipListSet<>();

  /** Number of spans of keys in all pending markers. */
  private final AtomicInteger marked = new AtomicInteger();

  Companions(MarkerTable table, Applier applier) {
    this.table = table;
    this.applier = applier;
    table.all().forEach(this::stand);
  }

  private void stand(Marker marker) {
    if (pending.add(marker)) {
      marked.addAndGet(marker.written().size());
    }
  }

  private void fall(Marker marker) {
    ended.remove(marker);
    if (pending.remove(marker)) {
      marked.addAndGet(-marker.written().size());
    }
  }

  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  /**
   * Writes the markers of a write. They are ordered before everything that is written next.
   *
   * @throws OverloadedException if too many spans are marked already
   * @throws WriteFailedException if the store fails
   */
  void put(List<Marker> markers) {
    if (marked.get() >= MARKED_MAX && !markers.isEmpty()) {
      throw new OverloadedException(
          "companion layouts may lack %,d writes of %,d spans of keys, of which at most %,d are tracked: try again once the store has accepted the repairs"
              .formatted(pending.size(), marked.get(), MARKED_MAX),
          RETRY_AFTER);
    }
    markers.forEach(this::stand);
    MutationBatch edits = new MutationBatch();
    markers.forEach(marker -> MarkerTable.put(edits, marker));
    try {
      apply(edits);
    } catch (WriteFailedException e) {
      if (!e.unknown()) {
        markers.forEach(markers.size() == 1 ? this::fall : ended::add);
      }
      throw e;
    }
  }

  /** Records that a write into the primary has ended. */
  void ended(List<Marker> markers) {
    ended.addAll(markers);
  }

  /** Removes markers of writes that all layouts have. */
  void remove(List<Marker> markers) {
    MutationBatch edits = new MutationBatch();
    markers.forEach(marker -> MarkerTable.delete(edits, marker));
    apply(edits);
    markers.forEach(this::fall);
  }

  private void apply(MutationBatch edits) {
    if (edits.isEmpty()) {
      return;
    }
    List<Rejected> rejected = applier.apply(edits, 1, Durability.ORDERED);
    if (!rejected.isEmpty()) {
      throw new WriteFailedException(
          "the store rejects a marker of a write into companions: " + rejected.getFirst().reason(),
          false);
    }
  }

  /**
   * Runs the repair of a marker while no other write into companions runs, and removes the marker.
   * Does nothing if the marker was removed.
   */
  public void repair(Marker marker, Runnable copy) {
    lock.lock();
    try {
      if (pending.contains(marker)) {
        copy.run();
        remove(List.of(marker));
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the pending markers, oldest first. */
  public List<Marker> pending() {
    return List.copyOf(pending);
  }

  /**
   * Returns the markers to replay, oldest first: our own, once nothing can arrive late from a
   * remote store, and abandoned ones of other servers.
   *
   * @param now microseconds since 1970
   */
  public List<Marker> due(long now) {
    return pending.stream().filter(marker -> isDue(marker, now - marker.stamp())).toList();
  }

  private boolean isDue(Marker marker, long age) {
    if (!table.isOwn(marker)) {
      return age > ABANDONED_MICROS;
    }
    return marker.server() == null || ended.contains(marker) || age > MAY_ARRIVE_MICROS;
  }

  /** Reads the markers of other servers. */
  public void lookAtOthers() {
    Set<Marker> found = new HashSet<>(table.all());
    pending.stream()
        .filter(marker -> !table.isOwn(marker) && !found.contains(marker))
        .forEach(this::fall);
    found.stream().filter(marker -> !table.isOwn(marker)).forEach(this::stand);
  }

  /** Returns whether a period's companions may lack samples of a time range. */
  public boolean mayLack(int period, TimeRange times) {
    return pending.stream()
        .flatMap(marker -> marker.written().stream())
        .anyMatch(written -> written.period() == period && written.times().overlaps(times));
  }
}
