package dev.varve.engine.write;

import dev.varve.engine.OverloadedException;
import dev.varve.engine.WriteFailedException;
import dev.varve.engine.home.MarkerTable;
import dev.varve.engine.home.MarkerTable.Marker;
import dev.varve.engine.write.Applier.Rejected;
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
 * The markers of writes that go to companion layouts as well: a write that has a marker may be
 * missing there.
 */
public final class Companions {
  /**
   * As many stretches of keys may be marked at once, which are some tens of megabytes. A store that
   * fails for hours would else fill the memory with what is to be repaired.
   */
  private static final int MARKED_MAX = 100_000;

  private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

  /**
   * After so long a write that nobody knows the end of counts as lost, if it has not arrived in the
   * primary: replayed earlier, its marker would be gone when it arrives.
   */
  private static final long MAY_ARRIVE_MICROS = 60_000_000L;

  /** After so long a marker of another server is taken for one that nobody else will see to. */
  private static final long ABANDONED_MICROS = 600_000_000L;

  private final MarkerTable table;
  private final Applier applier;

  /** Held by whoever writes into companions, so that all layouts see the same order. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Set<Marker> standing = new ConcurrentSkipListSet<>();

  /** Those of our own whose write has ended in the primary, well or not. */
  private final Set<Marker> ended = new ConcurrentSkipListSet<>();

  /** How many stretches of keys the markers that stand mark. */
  private final AtomicInteger marked = new AtomicInteger();

  Companions(MarkerTable table, Applier applier) {
    this.table = table;
    this.applier = applier;
    table.all().forEach(this::stand);
  }

  private void stand(Marker marker) {
    if (standing.add(marker)) {
      marked.addAndGet(marker.written().size());
    }
  }

  private void fall(Marker marker) {
    ended.remove(marker);
    if (standing.remove(marker)) {
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
   * Puts the markers of a write before anything that is written next.
   *
   * @throws OverloadedException if too much is marked already
   * @throws WriteFailedException if that fails
   */
  void put(List<Marker> markers) {
    if (marked.get() >= MARKED_MAX && !markers.isEmpty()) {
      throw new OverloadedException(
          "companion layouts lack what %,d writes may have brought, of %,d stretches of keys, and at most %,d are kept in mind: try again once the store has taken the repairs"
              .formatted(standing.size(), marked.get(), MARKED_MAX),
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

  /** Takes note that nothing of a write is on its way into the primary any more. */
  void ended(List<Marker> markers) {
    ended.addAll(markers);
  }

  /** Takes markers away: what they mark stands in all layouts. */
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
   * The markers that are to be replayed, oldest first: our own, where nothing may arrive any more
   * from a store that is not embedded, and those of servers that have not seen to them for ten
   * minutes.
   *
   * @param now microseconds since 1970
   */
  public List<Marker> due(long now) {
    return standing.stream().filter(marker -> isDue(marker, now - marker.stamp())).toList();
  }

  private boolean isDue(Marker marker, long age) {
    if (!table.isOwn(marker)) {
      return age > ABANDONED_MICROS;
    }
    return marker.server() == null || ended.contains(marker) || age > MAY_ARRIVE_MICROS;
  }

  /** Looks which markers of other servers stand. */
  public void lookAtOthers() {
    Set<Marker> found = new HashSet<>(table.all());
    standing.stream()
        .filter(marker -> !table.isOwn(marker) && !found.contains(marker))
        .forEach(this::fall);
    found.stream().filter(marker -> !table.isOwn(marker)).forEach(this::stand);
  }

  /** Whether a period's companions may lack something of a stretch of time. */
  public boolean mayLack(int period, TimeRange times) {
    return standing.stream()
        .flatMap(marker -> marker.written().stream())
        .anyMatch(written -> written.period() == period && written.times().overlaps(times));
  }
}
