package dev.varve.engine.heat;

import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.threads.BackgroundThread;
import dev.varve.model.Bytes;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The key counters of a dataset's tables. Every minute a thread moves their counts into the home.
 * Safe for use by several threads.
 */
public final class HeatKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HeatKeeper.class);
  private static final long SLICE_MILLIS = 60_000;

  /** Maximum bytes of a key that counters keep; of a longer one they keep the beginning. */
  public static final int KEY_BYTES_MAX = KeyRanges.KEY_BYTES_MAX;

  /** A slice that ends this late ends with its minute. */
  private static final long LATE_MILLIS = 5_000;

  /** Slices after which old ones are made coarser. */
  private static final int BETWEEN_AGEING = 15;

  /**
   * Maximum number of ended slices per table kept in memory while the store fails; older ones are
   * lost.
   */
  private static final int WAITING_MAX = 10;

  private record Waiting(String table, HeatSlice slice) {}

  private final String dataset;
  private final LongSupplier millis;
  private final List<KeyCounters> counters = new CopyOnWriteArrayList<>();
  private final BackgroundThread thread;

  /** Ended slices that are not in the home yet, oldest first. */
  private final Deque<Waiting> waiting = new ConcurrentLinkedDeque<>();

  /** Guarded by this, like the next. */
  private long slices;

  private long lastEnd;
  private volatile @Nullable HeatHistory history;

  /**
   * @param millis the system clock, in milliseconds since 1970
   */
  public HeatKeeper(String dataset, LongSupplier millis) {
    this.dataset = dataset;
    this.millis = millis;
    this.thread = BackgroundThread.named("key counters of " + dataset);
  }

  /** Returns the counted form of a table, which must not be absent. */
  public Table counted(Table table) {
    KeyCounters of =
        new KeyCounters(table.spec().name(), table.spec().partitioning(), millis.getAsLong());
    counters.add(of);
    return new CountedTable(table, of);
  }

  /** Starts to count for the map. Leaves out the reads and writes that opened the dataset. */
  public void start(HeatHistory into) {
    history = into;
    counters.forEach(one -> one.forget(millis.getAsLong()));
    thread.start(() -> work(into));
  }

  private void work(HeatHistory into) {
    long now = millis.getAsLong();
    attempt(() -> begin(into, now));
    while (thread.pause(
        Duration.ofMillis(SLICE_MILLIS - Math.floorMod(millis.getAsLong(), SLICE_MILLIS)))) {
      attempt(this::endSlices);
    }
  }

  private synchronized void begin(HeatHistory from, long now) {
    counters.forEach(one -> one.begin(from.lastBounds(one.table(), now)));
  }

  /**
   * Takes keys out of the counts, and out of their history with its files. The loads of their
   * ranges stay; for that, the slices of all tables end.
   *
   * @param gone returns which keys of a table, by its name in the store, have to go; of a key
   *     longer than {@link #KEY_BYTES_MAX} bytes it gets the beginning
   * @throws StoreException if the home fails; this can be repeated
   */
  public synchronized void forget(Function<String, Predicate<Bytes>> gone) {
    Map<String, Predicate<Bytes>> byTable = new LinkedHashMap<>();
    counters.forEach(one -> byTable.put(one.table(), gone.apply(one.table())));
    long now = millis.getAsLong();
    HeatHistory of = history;
    if (of != null) {
      lastEnd = now;
      endSlices(now);
    }
    List<Waiting> ended =
        waiting.stream()
            .map(one -> new Waiting(one.table(), one.slice().without(of(byTable, one.table()))))
            .toList();
    waiting.clear();
    waiting.addAll(ended);
    counters.forEach(one -> one.forget(of(byTable, one.table()), now));
    if (of != null) {
      byTable.forEach(of::forget);
      of.reclaim();
    }
  }

  private static Predicate<Bytes> of(Map<String, Predicate<Bytes>> byTable, String table) {
    return Objects.requireNonNull(byTable.get(table));
  }

  private void attempt(Runnable work) {
    try {
      work.run();
    } catch (StoreException e) {
      LOG.warn("dataset '{}': key counters: {}", dataset, e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("dataset '{}': key counters failed and will go on", dataset, e);
    }
  }

  /**
   * Ends the slices of all tables and writes them.
   *
   * @throws StoreException if the home cannot be written; the slices are written with later ones
   */
  public synchronized void endSlices() {
    HeatHistory into = history;
    if (into == null) {
      return;
    }
    long now = millis.getAsLong();
    long until = end(now);
    lastEnd = until;
    endSlices(until);
    while (!waiting.isEmpty()) {
      Waiting first = waiting.getFirst();
      into.put(first.table(), first.slice());
      waiting.removeFirst();
    }
    if (slices++ % BETWEEN_AGEING == 0) {
      counters.forEach(one -> into.age(one.table(), now));
    }
  }

  /** Ends the slices of all tables, which then wait to be written. */
  private void endSlices(long until) {
    for (KeyCounters one : counters) {
      HeatSlice slice = one.end(until);
      if (slice != null) {
        waiting.add(new Waiting(one.table(), slice));
      }
    }
    while (waiting.size() > WAITING_MAX * Math.max(1, counters.size())) {
      waiting.removeFirst();
    }
  }

  /** Returns the end of the slices that end now: the full minute, if that has just passed. */
  private long end(long now) {
    long minute = Math.floorDiv(now, SLICE_MILLIS) * SLICE_MILLIS;
    return minute > lastEnd && now - minute < LATE_MILLIS ? minute : now;
  }

  /** Returns the names of the tables, in the order of their layouts. */
  public List<String> tables() {
    return counters.stream().map(KeyCounters::table).toList();
  }

  /**
   * Returns the slices of a table that start in a range of time, of all servers, with the one that
   * has not ended.
   *
   * @param from milliseconds since 1970, not negative
   * @param guard accounts for their memory, and may end the read
   */
  public List<HeatSlice> read(String table, long from, long to, ReadGuard guard) {
    HeatHistory of = history;
    List<HeatSlice> all = new ArrayList<>(of == null ? List.of() : of.read(table, from, to, guard));
    for (Waiting one : waiting) {
      // A slice that was just written is in both places.
      if (one.table().equals(table) && !all.contains(one.slice())) {
        all.add(one.slice());
      }
    }
    long now = millis.getAsLong();
    for (KeyCounters one : counters) {
      HeatSlice slice = one.table().equals(table) ? one.peek(now) : null;
      if (slice != null && slice.from() >= from && slice.from() < to) {
        all.add(slice);
      }
    }
    return all;
  }

  /** Returns metrics of the counters for operators, by name. */
  public Map<String, Double> figures() {
    Map<String, Double> figures = new TreeMap<>();
    figures.put(
        "key_counters_missed_cells_total",
        (double) counters.stream().mapToLong(KeyCounters::missed).sum());
    return figures;
  }

  /** Writes the last counts, and ends. The home is still open then. */
  @Override
  public void close() {
    thread.close();
    if (thread.isStarted()) {
      attempt(this::endSlices);
    }
  }
}
