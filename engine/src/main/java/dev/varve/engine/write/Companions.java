package dev.varve.engine.write;

import dev.varve.engine.WriteFailedException;
import dev.varve.engine.home.MarkerTable;
import dev.varve.engine.home.MarkerTable.Marker;
import dev.varve.engine.write.Applier.Rejected;
import dev.varve.model.TimeRange;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The markers of writes that go to companion layouts as well: a write that has a marker may be
 * missing there.
 */
public final class Companions {
  /** After so long a marker of another server is taken for one that nobody else will see to. */
  private static final long ABANDONED_MICROS = 600_000_000L;

  private final MarkerTable table;
  private final Applier applier;

  /** Held by whoever writes into companions, so that all layouts see the same order. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Set<Marker> standing = new ConcurrentSkipListSet<>();

  Companions(MarkerTable table, Applier applier) {
    this.table = table;
    this.applier = applier;
    standing.addAll(table.all());
  }

  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  /**
   * Puts the markers of a write before anything that is written next.
   *
   * @throws WriteFailedException if that fails
   */
  void put(List<Marker> markers) {
    standing.addAll(markers);
    MutationBatch edits = new MutationBatch();
    markers.forEach(marker -> MarkerTable.put(edits, marker));
    apply(edits);
  }

  /** Takes markers away: what they mark stands in all layouts. */
  void remove(List<Marker> markers) {
    MutationBatch edits = new MutationBatch();
    markers.forEach(marker -> MarkerTable.delete(edits, marker));
    apply(edits);
    markers.forEach(standing::remove);
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
   * Does what a marker asks for while nobody else writes, and takes the marker away; nothing where
   * it stands no more.
   */
  public void repair(Marker marker, Runnable copy) {
    lock.lock();
    try {
      if (standing.contains(marker)) {
        copy.run();
        remove(List.of(marker));
      }
    } finally {
      lock.unlock();
    }
  }

  /** The markers that stand, oldest first. */
  public List<Marker> standing() {
    return List.copyOf(standing);
  }

  /**
   * The markers that are to be replayed, oldest first: our own, and those of servers that have not
   * seen to them for ten minutes.
   *
   * @param now microseconds since 1970
   */
  public List<Marker> due(long now) {
    return standing.stream()
        .filter(marker -> table.isOwn(marker) || now - marker.stamp() > ABANDONED_MICROS)
        .toList();
  }

  /** Looks which markers of other servers stand. */
  public void lookAtOthers() {
    Set<Marker> found = new HashSet<>(table.all());
    standing.removeIf(marker -> !table.isOwn(marker) && !found.contains(marker));
    found.stream().filter(marker -> !table.isOwn(marker)).forEach(standing::add);
  }

  /** Whether a period's companions may lack something of a stretch of time. */
  public boolean mayLack(int period, TimeRange times) {
    return standing.stream()
        .flatMap(marker -> marker.written().stream())
        .anyMatch(written -> written.period() == period && written.times().overlaps(times));
  }
}
