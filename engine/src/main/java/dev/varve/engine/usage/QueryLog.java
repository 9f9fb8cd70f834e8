package dev.varve.engine.usage;

import dev.varve.engine.request.ReadRequest;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The kinds of queries that this server has answered, with their counts and costs. At most {@link
 * #KINDS_MAX} kinds are kept, in a limited number of bytes; then the least used ones are evicted.
 * Safe for use by several threads.
 */
public final class QueryLog {
  /** Largest number of kinds. */
  public static final int KINDS_MAX = 10_000;

  /** A selector that takes more heap bytes is not kept as an example. */
  private static final long EXAMPLE_MAX = 2_000;

  /** A use this long ago counts half. */
  private static final double HALF_LIFE_MILLIS = 7 * 24 * 3_600_000.0;

  /** Heap bytes of a kind without its texts, at most, and of each filter of its example. */
  private static final long KIND_BYTES = 500;

  private static final long FILTER_BYTES = 120;

  private final Resolution resolution;
  private final long bytesMax;
  private final LongSupplier millis;
  private final Map<QueryShape, Tally> tallies = new ConcurrentHashMap<>();

  /** Guarded by this, like the next. */
  private final Deque<Integer> freeSlots = new ArrayDeque<>();

  private int nextSlot;
  private final AtomicLong bytes = new AtomicLong();

  /** The queries of a kind. Guarded by itself. */
  private static final class Tally {
    private final int slot;

    /** Bytes that its example may take: those of the first, and some more. */
    private final long exampleRoom;

    private LoggedQuery queries;
    private boolean changed;

    private Tally(int slot, LoggedQuery queries) {
      this.slot = slot;
      this.queries = queries;
      this.exampleRoom = exampleBytes(queries.example()) + 64;
    }

    private synchronized LoggedQuery queries() {
      return queries;
    }

    /**
     * Adds a query. Its selector becomes the example unless it takes more memory than the first.
     */
    private synchronized void add(LoggedQuery query) {
      LoggedQuery sum = queries.plus(query);
      boolean fits =
          !query.example().filters().isEmpty() && exampleBytes(query.example()) <= exampleRoom;
      queries = fits ? sum : keeping(queries, sum);
      changed = true;
    }

    private synchronized void forgetExample() {
      queries =
          new LoggedQuery(
              queries.shape(),
              queries.costs(),
              new Selector(List.of()),
              queries.times(),
              queries.since(),
              queries.last(),
              queries.reachMillis());
      changed = true;
    }

    private long bytes() {
      return KIND_BYTES + queries().shape().bytes() + exampleRoom;
    }
  }

  /** A kind with its slot, from 0 to {@link #KINDS_MAX} - 1. */
  record Slot(int slot, LoggedQuery query) {}

  /**
   * @param bytesMax largest number of heap bytes
   * @param millis the system clock, in milliseconds since 1970
   */
  public QueryLog(Resolution resolution, long bytesMax, LongSupplier millis) {
    this.resolution = resolution;
    this.bytesMax = bytesMax;
    this.millis = millis;
  }

  /** Adds a query, or one of the reads of a query that has several selectors. */
  public void note(QueryKind kind, ReadRequest request, QueryCosts costs) {
    long now = millis.getAsLong();
    QueryShape shape = QueryShape.of(kind, request, resolution, now);
    if (!shape.isShort()) {
      return;
    }
    Tally known = tallies.get(shape);
    Selector example = request.selector();
    LoggedQuery query =
        new LoggedQuery(
            shape,
            costs,
            exampleBytes(example) <= EXAMPLE_MAX ? example : new Selector(List.of()),
            request.times(),
            now,
            now,
            reach(request.times(), now));
    if (known == null) {
      add(query);
    } else {
      known.add(query);
    }
  }

  /** Returns a sum with the example of the queries before. */
  private static LoggedQuery keeping(LoggedQuery before, LoggedQuery sum) {
    return new LoggedQuery(
        sum.shape(),
        sum.costs(),
        before.example(),
        before.times(),
        sum.since(),
        sum.last(),
        sum.reachMillis());
  }

  private long reach(TimeRange times, long now) {
    double from = (double) times.from() * 1000 / resolution.perSecond();
    return (long) Math.max(0, now - Math.max(from, 0));
  }

  /** Returns an upper estimate of the heap bytes of a selector. */
  private static long exampleBytes(Selector selector) {
    long bytes = 0;
    for (TagFilter filter : selector.filters()) {
      bytes += FILTER_BYTES + 2L * filter.name().length();
      bytes +=
          switch (filter) {
            case TagFilter.Equal one -> 2L * one.value().length();
            case TagFilter.NotEqual one -> 2L * one.value().length();
            case TagFilter.In one ->
                one.values().stream().mapToLong(value -> 2L * value.length() + FILTER_BYTES).sum();
            case TagFilter.Prefix one -> 2L * one.prefix().length();
            case TagFilter.Regex one -> 2L * one.pattern().length();
            case TagFilter.NotRegex one -> 2L * one.pattern().length();
            case TagFilter.Has _ -> 0L;
          };
    }
    return bytes;
  }

  private synchronized void add(LoggedQuery query) {
    Tally before = tallies.get(query.shape());
    if (before != null) {
      before.add(query);
      return;
    }
    Integer free = freeSlots.poll();
    Tally tally = new Tally(free == null ? nextSlot++ : free, query);
    tally.changed = true;
    while (!tallies.isEmpty()
        && (tallies.size() >= KINDS_MAX || bytes.get() + tally.bytes() > bytesMax)) {
      evict();
    }
    tallies.put(query.shape(), tally);
    bytes.addAndGet(tally.bytes());
  }

  /** Evicts the least used sixteenth. A slot is overwritten in the home by the next kind. */
  private void evict() {
    long now = millis.getAsLong();
    List<Used> all = new ArrayList<>();
    tallies.values().forEach(one -> all.add(new Used(one, use(one.queries(), now))));
    all.sort(Comparator.comparingDouble(Used::use));
    for (Used least : all.subList(0, Math.max(1, all.size() / 16))) {
      remove(least.tally());
    }
  }

  private synchronized void remove(Tally tally) {
    if (tallies.remove(tally.queries().shape(), tally)) {
      freeSlots.add(tally.slot);
      bytes.addAndGet(-tally.bytes());
    }
  }

  private record Used(Tally tally, double use) {}

  private static double use(LoggedQuery query, long now) {
    return Math.log((double) Math.max(1, query.costs().count()))
        - Math.log(2) * (now - query.last()) / HALF_LIFE_MILLIS;
  }

  /** Loads the queries of this server from the home. Called once, before the first note. */
  synchronized void restore(Collection<Slot> slots) {
    for (Slot slot : slots) {
      boolean fits = slot.slot() >= 0 && slot.slot() <= KINDS_MAX && bytes.get() < bytesMax;
      if (!fits || tallies.containsKey(slot.query().shape())) {
        continue;
      }
      Tally tally = new Tally(slot.slot(), slot.query());
      tallies.put(slot.query().shape(), tally);
      bytes.addAndGet(tally.bytes());
      nextSlot = Math.max(nextSlot, slot.slot() + 1);
    }
    boolean[] used = new boolean[nextSlot];
    tallies.values().forEach(one -> used[one.slot] = true);
    for (int slot = 0; slot < nextSlot; slot++) {
      if (!used[slot]) {
        freeSlots.add(slot);
      }
    }
  }

  /** Returns the kinds that have changed since they were {@link #written}. */
  List<Slot> changed() {
    List<Slot> changed = new ArrayList<>();
    for (Tally tally : tallies.values()) {
      synchronized (tally) {
        if (tally.changed) {
          changed.add(new Slot(tally.slot, tally.queries));
        }
      }
    }
    return changed;
  }

  /** Records that kinds are in the home as they were returned. */
  void written(List<Slot> slots) {
    for (Slot slot : slots) {
      Tally tally = tallies.get(slot.query().shape());
      if (tally != null) {
        synchronized (tally) {
          tally.changed = !tally.queries.costs().equals(slot.query().costs());
        }
      }
    }
  }

  /**
   * Forgets kinds by their metrics, and examples by their selectors. Nobody waits for the tests.
   */
  void forget(Predicate<String> metric, Predicate<Selector> example) {
    for (Tally tally : List.copyOf(tallies.values())) {
      LoggedQuery of = tally.queries();
      if (metric.test(of.shape().metric())) {
        remove(tally);
      } else if (example.test(of.example())) {
        tally.forgetExample();
      }
    }
  }

  /** Returns all kinds of this server, those with the most queries first. */
  public List<LoggedQuery> queries() {
    return tallies.values().stream()
        .map(Tally::queries)
        .sorted(Comparator.comparingLong((LoggedQuery one) -> one.costs().count()).reversed())
        .toList();
  }

  /** Returns the number of kinds. */
  public int size() {
    return tallies.size();
  }
}
