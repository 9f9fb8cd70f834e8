package dev.varve.query.running;

import dev.varve.engine.Dataset;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.usage.QueryKind;
import dev.varve.model.Attribute;
import dev.varve.model.Value;
import dev.varve.query.limit.Memory;
import dev.varve.query.limit.QueryLimitException;
import dev.varve.query.limit.QueryLimits;
import dev.varve.store.Budget;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ReadCost;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The resource use of one query, checked against its limits, until it ends or is stopped. Code that
 * works for a query reads through {@link #runs}, accounts for memory with {@link #memory}, and
 * calls {@link #ensureWanted} in long computations. Thread-safe.
 */
public final class QueryUse implements ReadGuard {
  /** A query that matches more keys, or compares more values with patterns, is heavy. */
  private static final int LIGHT_KEYS = 1_000;

  /** A key with its tags and its slot in a list; texts are shared with the catalog. */
  private static final long BYTES_PER_KEY = 200;

  /** An attribute without its texts. */
  private static final long BYTES_PER_ATTRIBUTE = 120;

  /** The language of a query that has none, because a program runs it by itself. */
  private static final String STANDALONE = "library";

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
  private final Cancellation cancellation = new Cancellation();
  private final Queue<Attribute> collected = new ConcurrentLinkedQueue<>();
  private volatile boolean limitStruck;

  /** The name of the attributes to keep; null for none. */
  private volatile @Nullable String collects;

  /** Whether to check if the query has become heavy. */
  private volatile boolean lookDue;

  private volatile boolean comparesMany;

  /** Null if the query runs by itself. */
  private @Nullable Stint stint;

  /** Whether the query still has to give way to others once it is heavy. */
  private boolean givesWay;

  private @Nullable Thread thread;
  private volatile @Nullable String refusal;

  /** The description under which reads enter the query log; null to keep them out of it. */
  private volatile @Nullable QueryKind kind;

  /**
   * @param language the language or API of the query
   */
  QueryUse(QueryLimits limits, Memory.@Nullable Pool pool, String language) {
    this.limits = limits;
    this.kind = new QueryKind(language, "", 0);
    this.memory = new Memory(limits.memory(), pool, progress::share);
  }

  /** Creates the use of a standalone query that shares nothing with others. */
  public static QueryUse of(QueryLimits limits) {
    return new QueryUse(limits, null, STANDALONE);
  }

  /**
   * Describes what the query does with the samples that it reads, for the query log. Must be called
   * before the reads begin.
   *
   * @param aggregation the operators, in the language of the query
   * @param stepMillis distance of the points of the answer in milliseconds; 0 for none
   */
  public void describe(String aggregation, long stepMillis) {
    QueryKind before = kind;
    if (before != null) {
      kind = new QueryKind(before.language(), aggregation, stepMillis);
    }
  }

  /** Keeps the reads out of the query log, because they say nothing about later queries. */
  public void keepOutOfLog() {
    kind = null;
  }

  /** Adds a read that has ended to the query log. */
  void log(
      Dataset dataset, ReadRequest request, long series, ReadCost spent, long read, long began) {
    QueryKind mine = kind;
    if (mine != null) {
      dataset.usage().noteQuery(mine, request, series, read, spent, System.nanoTime() - began);
    }
  }

  public QueryLimits limits() {
    return limits;
  }

  public Memory memory() {
    return memory;
  }

  /** Reads a dataset within the limits. */
  public Runs runs(Dataset dataset) {
    return new CountedRuns(Runs.of(dataset), dataset, this);
  }

  /** Wraps runs so that they count against the limits. */
  public Runs runs(Runs plain) {
    return new CountedRuns(plain, null, this);
  }

  /**
   * Keeps the attributes of a name that reads find from now on beside their samples.
   *
   * @see #collected
   */
  public void collect(String attribute) {
    collects = attribute;
  }

  /** Returns the attributes that were kept. One that was read twice is there twice. */
  public List<Attribute> collected() {
    return List.copyOf(collected);
  }

  @Override
  public void passed(Attribute attribute) {
    if (attribute.name().equals(collects)) {
      memory.hold(BYTES_PER_ATTRIBUTE + length(attribute.value()), "attributes beside samples");
      collected.add(attribute);
    }
  }

  private static long length(Value value) {
    return switch (value) {
      case Value.Text(String text) -> 2L * text.length();
      case Value.Raw(var bytes) -> bytes.length();
      case Value.Int64 number -> 0;
      case Value.Real number -> 0;
    };
  }

  @Override
  public void ensureWanted() {
    if (cancellation.stopped() != null) {
      throw new ReadCancelledException();
    }
  }

  /** Starts the run on the calling thread. */
  void begin(Stint now) {
    stint = now;
    givesWay = true;
    thread = Thread.currentThread();
  }

  /**
   * Notes that the result is complete and only its sending is left, on the query's own thread. The
   * timeout starts again, so that a query that finished in time is not cut off in the middle of its
   * answer.
   *
   * @throws ReadCancelledException if the query was stopped before
   */
  public void evaluated() {
    ensureWanted();
    Stint mine = stint;
    if (mine != null) {
      mine.startAnswer();
    }
  }

  /** Notes that the query has run for a while. */
  void lookDue() {
    lookDue = true;
  }

  /**
   * Checks whether the query is still wanted, and lets light queries go first if this one is heavy.
   * As it may block for long, the caller must not hold a contended lock. Threads other than the
   * query's own only check.
   */
  public void giveWay() {
    ensureWanted();
    if (lookDue && Thread.currentThread().equals(thread)) {
      lookDue = false;
      Stint mine = stint;
      if (givesWay
          && mine != null
          && (comparesMany || seriesMatched.get() > LIGHT_KEYS || mine.isLong())) {
        givesWay = false;
        mine.stepAside();
      }
    }
  }

  /**
   * Ends the query: everything that works for it throws {@link ReadCancelledException} within 100
   * ms. May be called from any thread.
   *
   * @param why TIMEOUT, KILLED or GONE; only the first call counts
   */
  public void stop(Outcome why) {
    cancellation.stop(why);
  }

  /** Returns why the query was stopped; null if it was not. */
  public @Nullable Outcome stopped() {
    return cancellation.stopped();
  }

  @Override
  public void begun(Runnable cancel) {
    cancellation.begun(cancel);
  }

  @Override
  public void ended(Runnable cancel) {
    cancellation.ended(cancel);
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

  /** Counts matching keys, and holds the engine's memory for them until the query ends. */
  @Override
  public void matched(long keys) {
    holdMatched(keys);
  }

  /**
   * Like {@link #matched}, but the caller may release the memory earlier.
   *
   * @return the number of bytes held
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
   * Counts matching keys that are only listed, even if they are read later.
   *
   * @return as {@link #holdMatched}
   */
  long holdListed(long keys) {
    listed(keys);
    return hold(keys);
  }

  /** Counts matching keys that are only listed, each looked up when it is needed. */
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

  /** Holds optional memory, up to a quarter of the limit; the rest is left for required memory. */
  @Override
  public boolean tryHold(long bytes) {
    ensureWanted();
    return memory.tryHoldWithin(limits.memory() / 4, bytes);
  }

  @Override
  public void released(long bytes) {
    memory.release(bytes);
  }

  /** Returns the progress of the reads, which their cursors update. */
  ReadProgress progress() {
    return progress;
  }

  private void refuseBeyond(long keys) {
    if (keys > limits.series()) {
      throw beyond(
          "the query matches %,d series, more than the limit of %,d; add label matchers"
              .formatted(keys, limits.series()));
    }
  }

  private long hold(long keys) {
    long bytes = BYTES_PER_KEY * keys;
    if (!memory.tryHold(bytes)) {
      // Formats a number only for an error: this is called by every read.
      memory.hold(bytes, "a query of %,d series".formatted(keys));
    }
    return bytes;
  }

  /** Counts a series whose samples are read. */
  void seriesBegun() {
    long all = seriesRead.incrementAndGet();
    if (all > limits.series()) {
      throw beyond(
          "the query reads more series than the limit of %,d, of %,d matching keys; add label matchers"
              .formatted(limits.series(), seriesMatched.get()));
    }
  }

  /** Counts samples that were read. */
  void samplesRead(long more) {
    long all = samples.addAndGet(more);
    if (all > limits.samples()) {
      throw beyond(
          "the query reads more samples than the limit of %,d: it stopped at %,d, in series %,d of %,d%s; use a shorter range or add label matchers"
              .formatted(
                  limits.samples(),
                  all,
                  seriesRead.get(),
                  seriesMatched.get(),
                  wouldTake(", and would read about %,d", all)));
    }
  }

  /** Counts samples of the result. */
  public void pointsReturned(long more) {
    long all = points.addAndGet(more);
    if (all > limits.points()) {
      throw beyond(
          "the answer has more points than the limit of %,d: it stopped at %,d%s; use a longer step, a shorter range or fewer series"
              .formatted(limits.points(), all, wouldTake(", and would have about %,d", all)));
    }
  }

  /** Counts the steps of a subquery. */
  public void stepsTaken(long more) {
    steps.accumulateAndGet(more, Math::max);
    if (more > limits.steps()) {
      throw beyond(
          "a subquery has %,d steps, more than the limit of %,d; use a longer step or a shorter range"
              .formatted(more, limits.steps()));
    }
  }

  private QueryRefusedException beyond(String message) {
    limitStruck = true;
    return new QueryLimitException(message);
  }

  /** Adds to the cost in the stores. */
  void cost(ReadCost more) {
    cost.accumulateAndGet(more, ReadCost::plus);
  }

  /**
   * Ends the query if its reads together have used up the budget.
   *
   * @throws QueryRefusedException if the budget is used up
   */
  void ensureWithinBudget() {
    ReadCost used = cost.get();
    if (used.cellsRead() > limits.cells() || used.bytesRead() > limits.bytes()) {
      throw looksAtTooMuch();
    }
  }

  /** Returns the rest of the budget; zero if it is used up. */
  Budget budgetLeft() {
    ReadCost used = cost.get();
    return new Budget(
        Math.max(0, limits.cells() - used.cellsRead()),
        Math.max(0, limits.bytes() - used.bytesRead()));
  }

  /** Returns the error for a query that has used up its budget. */
  QueryRefusedException looksAtTooMuch() {
    ReadCost used = cost.get();
    return beyond(
        "the query reads more than the limit of %,d cells or %,d bytes from the store: it stopped at %,d cells and %,d bytes%s, of %,d matching keys; use a shorter range or add label matchers, and see 'explain' for what else is read"
            .formatted(
                limits.cells(),
                limits.bytes(),
                used.cellsRead(),
                used.bytesRead(),
                wouldTake(", and would read about %,d cells", used.cellsRead()),
                seriesMatched.get()));
  }

  /** Returns an estimate of the total, in words; empty if it is unknown. */
  private String wouldTake(String words, long soFar) {
    long all = progress.ofAll(soFar);
    return all < 0 ? "" : words.formatted(all);
  }

  /**
   * Records that the query failed after its answer had started; the answer ends with the reason.
   */
  public void refusedAmid(String reason) {
    refusal = reason;
  }

  /** Returns the error at the end of the answer; null if there is none. */
  @Nullable String refusal() {
    return refusal;
  }

  /** Returns whether the query exceeded one of its limits. */
  boolean limitStruck() {
    return limitStruck || memory.refused();
  }

  /** Returns the number of keys that its selectors have matched so far. */
  public long seriesMatched() {
    return Math.max(seriesMatched.get(), seriesListed.get());
  }

  /** Returns the estimated progress of the reads that have started, from 0 to 1. */
  public double readShare() {
    return progress.share();
  }

  /** Returns the number of series with samples; a series that is read twice counts twice. */
  public long seriesRead() {
    return seriesRead.get();
  }

  public long samplesRead() {
    return samples.get();
  }

  public long pointsReturned() {
    return points.get();
  }

  /** Returns the number of steps of its largest subquery. */
  public long steps() {
    return steps.get();
  }

  /** Returns the approximate cost in the stores so far. */
  public ReadCost cost() {
    return cost.get();
  }
}
