package dev.varve.query.running;

import dev.varve.engine.Dataset;
import dev.varve.engine.QueryRefusedException;
import dev.varve.engine.ReadGuard;
import dev.varve.query.Memory;
import dev.varve.query.QueryLimits;
import dev.varve.query.Runs;
import dev.varve.store.Budget;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ReadCost;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one query uses, against what it may, and whether it is still wanted. Whatever works for a
 * query reads by {@link #runs}, holds by {@link #memory} and asks {@link #ensureWanted} where it
 * computes for long. Safe for use by several threads.
 */
public final class QueryUse implements ReadGuard {
  private static final Logger LOG = LoggerFactory.getLogger(QueryUse.class);

  /** A query of more keys is a heavy one, and so is one that compares more values with patterns. */
  private static final int LIGHT_KEYS = 1_000;

  /** A key with its tags and its place in a list; texts are shared with the catalog. */
  private static final long BYTES_PER_KEY = 200;

  private final QueryLimits limits;
  private final Memory memory;
  private final ReadProgress progress = new ReadProgress();
  private final AtomicLong seriesMatched = new AtomicLong();
  private final AtomicLong seriesListed = new AtomicLong();
  private final AtomicLong seriesRead = new AtomicLong();
  private final AtomicLong samples = new AtomicLong();
  private final AtomicLong points = new AtomicLong();
  private final AtomicLong steps = new AtomicLong();
  private final AtomicReference<ReadCost> cost = new AtomicReference<>(ReadCost.NOTHING);
  private final Set<Runnable> cancels = ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable Outcome> stopped = new AtomicReference<>();
  private volatile boolean limitStruck;

  /** Whether it may have become a heavy one. */
  private volatile boolean lookDue;

  private volatile boolean comparesMany;

  /** Null where nothing else is to go first. */
  private @Nullable Stint stint;

  private @Nullable Thread thread;
  private volatile @Nullable String refusal;

  QueryUse(QueryLimits limits, Memory.@Nullable Pool pool) {
    this.limits = limits;
    this.memory = new Memory(limits.memory(), pool, progress::share);
  }

  /** The use of a query that runs by itself, known to nobody else. */
  public static QueryUse of(QueryLimits limits) {
    return new QueryUse(limits, null);
  }

  public QueryLimits limits() {
    return limits;
  }

  public Memory memory() {
    return memory;
  }

  /** A dataset, read within the limits. */
  public Runs runs(Dataset dataset) {
    return new CountedRuns(Runs.of(dataset), dataset, this);
  }

  /** Runs that are counted, and refused beyond the limits. */
  public Runs runs(Runs plain) {
    return new CountedRuns(plain, null, this);
  }

  @Override
  public void ensureWanted() {
    if (stopped.get() != null) {
      throw new ReadCancelledException();
    }
  }

  /** Begins its run on the thread that calls. */
  void begin(Stint now) {
    stint = now;
    thread = Thread.currentThread();
  }

  /** Says that it has run for a while. */
  void lookDue() {
    lookDue = true;
  }

  /**
   * Asks whether it is still wanted, and lets light queries go first if it is a heavy one: it may
   * wait for long, and so must not hold a lock that others want. Other threads than its own only
   * ask.
   */
  public void giveWay() {
    ensureWanted();
    if (lookDue && Thread.currentThread().equals(thread)) {
      lookDue = false;
      Stint mine = stint;
      if (mine != null && (comparesMany || seriesMatched.get() > LIGHT_KEYS || mine.isLong())) {
        stint = null;
        mine.stepAside();
      }
    }
  }

  /**
   * Ends the query: whatever works for it throws {@link ReadCancelledException} within 100 ms. From
   * any thread.
   *
   * @param why TIMEOUT, KILLED or GONE; where it comes twice the first counts
   */
  public void stop(Outcome why) {
    if (stopped.compareAndSet(null, why)) {
      cancels.forEach(QueryUse::cancel);
    }
  }

  /** One read that cannot be cancelled must not keep the others from it. */
  private static void cancel(Runnable read) {
    try {
      read.run();
    } catch (RuntimeException e) {
      LOG.error("a read of a query could not be cancelled", e);
    }
  }

  /** Why it was stopped; null where it was not. */
  public @Nullable Outcome stopped() {
    return stopped.get();
  }

  @Override
  public void begun(Runnable cancel) {
    cancels.add(cancel);
    if (stopped.get() != null) {
      cancel.run();
    }
  }

  @Override
  public void ended(Runnable cancel) {
    cancels.remove(cancel);
  }

  /** Counts values that are about to be compared. */
  @Override
  public void compares(long values) {
    if (values > LIGHT_KEYS) {
      comparesMany = true;
      lookDue = true;
      giveWay();
    }
  }

  /** Counts keys that match, and what the engine holds of them, until the query ends. */
  @Override
  public void matched(long keys) {
    holdMatched(keys);
  }

  /**
   * The same.
   *
   * @return the bytes that count as held, for whoever knows when they are not any more
   */
  long holdMatched(long keys) {
    ensureWanted();
    progress.matched(keys);
    long all = seriesMatched.addAndGet(keys);
    refuseBeyond(all);
    if (all > LIGHT_KEYS) {
      lookDue = true;
      giveWay();
    }
    return hold(keys);
  }

  /**
   * Counts keys that match and are only listed, be it to read them later.
   *
   * @return as {@link #holdMatched}
   */
  long holdListed(long keys) {
    listed(keys);
    return hold(keys);
  }

  /** Counts keys that match and are only listed, each looked up when its turn comes. */
  public void listed(long keys) {
    ensureWanted();
    seriesListed.accumulateAndGet(keys, Math::max);
    refuseBeyond(keys);
  }

  @Override
  public void held(long bytes, String what) {
    ensureWanted();
    memory.hold(bytes, what);
  }

  /** Whoever can do without leaves three quarters to those who cannot. */
  @Override
  public boolean tryHold(long bytes) {
    ensureWanted();
    return memory.tryHoldWithin(limits.memory() / 4, bytes);
  }

  @Override
  public void released(long bytes) {
    memory.release(bytes);
  }

  /** How much of its reads is done; told by their cursors. */
  ReadProgress progress() {
    return progress;
  }

  private void refuseBeyond(long keys) {
    if (keys > limits.series()) {
      throw beyond(
          "the query matches %,d series, more than the %,d that it may; name more labels"
              .formatted(keys, limits.series()));
    }
  }

  private long hold(long keys) {
    long bytes = BYTES_PER_KEY * keys;
    memory.hold(bytes, "a query of %,d series".formatted(keys));
    return bytes;
  }

  /** Counts a series of which samples come. */
  void seriesBegun() {
    long all = seriesRead.incrementAndGet();
    if (all > limits.series()) {
      throw beyond(
          "the query reads more than the %,d series that it may, of %,d keys that match; name more labels"
              .formatted(limits.series(), seriesMatched.get()));
    }
  }

  /** Counts samples that were read. */
  void samplesRead(long more) {
    long all = samples.addAndGet(more);
    if (all > limits.samples()) {
      throw beyond(
          "the query reads more than the %,d samples that it may: it stopped at %,d, in series %,d of %,d%s; a shorter range or more labels would help"
              .formatted(
                  limits.samples(),
                  all,
                  seriesRead.get(),
                  seriesMatched.get(),
                  wouldTake(", and would read about %,d", all)));
    }
  }

  /** Counts samples of the answer. */
  public void pointsReturned(long more) {
    long all = points.addAndGet(more);
    if (all > limits.points()) {
      throw beyond(
          "the answer has more than the %,d points that it may: it stopped at %,d%s; a longer step, a shorter range or fewer series would help"
              .formatted(limits.points(), all, wouldTake(", and would have about %,d", all)));
    }
  }

  /** Counts at how many times a subquery is to be worked out. */
  public void stepsTaken(long more) {
    steps.accumulateAndGet(more, Math::max);
    if (more > limits.steps()) {
      throw beyond(
          "a subquery of %,d steps, more than the %,d that it may have; a longer step or a shorter range would help"
              .formatted(more, limits.steps()));
    }
  }

  private QueryRefusedException beyond(String message) {
    limitStruck = true;
    return new QueryRefusedException(message);
  }

  /** Counts what the stores have done. */
  void cost(ReadCost more) {
    cost.accumulateAndGet(more, ReadCost::plus);
  }

  /**
   * Ends a query whose reads together have used up its budget.
   *
   * @throws QueryRefusedException if so
   */
  void ensureWithinBudget() {
    ReadCost used = cost.get();
    if (used.cellsRead() > limits.cells() || used.bytesRead() > limits.bytes()) {
      throw looksAtTooMuch();
    }
  }

  /** What the stores may still look at for it; nothing where it is used up. */
  Budget budgetLeft() {
    ReadCost used = cost.get();
    return new Budget(
        Math.max(0, limits.cells() - used.cellsRead()),
        Math.max(0, limits.bytes() - used.bytesRead()));
  }

  /** A refusal for a query that has used up its budget. */
  QueryRefusedException looksAtTooMuch() {
    ReadCost used = cost.get();
    return beyond(
        "the query looks at more than the %,d cells or %,d bytes of the store that it may: it stopped at %,d cells and %,d bytes%s, of %,d keys that match; a shorter range or more labels would help, and 'explain' shows what is read beside"
            .formatted(
                limits.cells(),
                limits.bytes(),
                used.cellsRead(),
                used.bytesRead(),
                wouldTake(", and would look at about %,d cells", used.cellsRead()),
                seriesMatched.get()));
  }

  /** What all would take, in words; nothing where it is not known. */
  private String wouldTake(String words, long soFar) {
    long all = progress.ofAll(soFar);
    return all < 0 ? "" : words.formatted(all);
  }

  /** Notes that the answer was on its way when it was refused, and ends with the reason. */
  public void refusedAmid(String reason) {
    refusal = reason;
  }

  /** Why the answer ends with a refusal; null where it does not. */
  @Nullable String refusal() {
    return refusal;
  }

  /** Whether the query went beyond one of its limits. */
  boolean limitStruck() {
    return limitStruck || memory.refused();
  }

  /** How many keys its selectors have matched so far. */
  public long seriesMatched() {
    return Math.max(seriesMatched.get(), seriesListed.get());
  }

  /** How much of the reads that it has begun is done, about: from 0 to 1. */
  public double readShare() {
    return progress.share();
  }

  /** Of how many series samples have come; those that are read twice count twice. */
  public long seriesRead() {
    return seriesRead.get();
  }

  public long samplesRead() {
    return samples.get();
  }

  public long pointsReturned() {
    return points.get();
  }

  /** The most steps that a subquery of it has. */
  public long steps() {
    return steps.get();
  }

  /** What the stores have done for it so far, about. */
  public ReadCost cost() {
    return cost.get();
  }
}
