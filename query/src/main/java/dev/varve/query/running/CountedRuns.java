package dev.varve.query.running;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.PartedRead;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.model.Attribute;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.store.Budget;
import dev.varve.store.BudgetExceededException;
import dev.varve.store.ReadCost;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The reads of one query. Each counts against the limits of the query, and stopping the query
 * cancels every read.
 */
final class CountedRuns implements Runs {
  private final Runs plain;
  private final @Nullable Dataset dataset;
  private final QueryUse use;

  /**
   * Wraps runs.
   *
   * @param dataset the dataset of the runs, whose reads can be observed from inside; null if they
   *     belong to no dataset
   */
  CountedRuns(Runs plain, @Nullable Dataset dataset, QueryUse use) {
    this.plain = plain;
    this.dataset = dataset;
    this.use = use;
  }

  @Override
  public Resolution resolution() {
    return plain.resolution();
  }

  @Override
  public RunCursor read(ReadRequest request) {
    use.giveWay();
    ReadRequest bounded = bounded(request);
    Held held = new Held(use, false);
    ReadNote note = new ReadNote(dataset, use, request, held::keys);
    try {
      RunCursor cursor = dataset == null ? plain.read(bounded) : dataset.read(bounded, held);
      return new Cursor(
          cursor,
          () -> {
            note.ended(cursor.cost());
            held.release();
          },
          note,
          use,
          use.progress().begin(bounded, held::keys));
    } catch (RuntimeException e) {
      held.release();
      throw e;
    }
  }

  @Override
  public PartedRead readInParts(ReadRequest request) {
    use.giveWay();
    ReadRequest bounded = bounded(request);
    Held held = new Held(use, false);
    try {
      return new Parts(
          dataset == null ? plain.readInParts(bounded) : dataset.readInParts(bounded, held),
          bounded,
          held,
          new ReadNote(dataset, use, request, held::keys),
          use);
    } catch (RuntimeException e) {
      held.release();
      throw e;
    }
  }

  private ReadRequest bounded(ReadRequest request) {
    Budget own = request.budget();
    Budget left = use.budgetLeft();
    return request.with(
        new Budget(
            Math.min(own.cellsRead(), left.cellsRead()),
            Math.min(own.bytesRead(), left.bytesRead())));
  }

  @Override
  public Stream<Series> series(Selector selector, TimeRange times) {
    use.ensureWanted();
    Held held = new Held(use, true);
    try {
      Stream<Series> found =
          dataset == null
              ? plain.series(selector, times)
              : dataset.catalog().series(selector, times, held);
      return found.peek(series -> use.ensureWanted()).onClose(held::release);
    } catch (RuntimeException e) {
      held.release();
      throw e;
    }
  }

  /** Observes one read, and counts what the engine holds for matching keys. */
  private static final class Held implements ReadGuard {
    private final QueryUse use;
    private final boolean lists;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong keys = new AtomicLong();

    /**
     * Creates a guard.
     *
     * @param lists whether the read only lists series
     */
    Held(QueryUse use, boolean lists) {
      this.use = use;
      this.lists = lists;
    }

    @Override
    public void passed(Attribute attribute) {
      use.passed(attribute);
    }

    @Override
    public void ensureWanted() {
      use.ensureWanted();
    }

    @Override
    public void compares(long values) {
      use.compares(values);
    }

    @Override
    public void matched(long more) {
      keys.addAndGet(more);
      bytes.addAndGet(lists ? use.holdListed(more) : use.holdMatched(more));
    }

    long keys() {
      return keys.get();
    }

    @Override
    public void held(long more, String what) {
      use.held(more, what);
      bytes.addAndGet(more);
    }

    @Override
    public boolean tryHold(long more) {
      boolean held = use.tryHold(more);
      bytes.addAndGet(held ? more : 0);
      return held;
    }

    @Override
    public void released(long some) {
      bytes.addAndGet(-some);
      use.released(some);
    }

    @Override
    public void begun(Runnable cancel) {
      use.begun(cancel);
    }

    @Override
    public void ended(Runnable cancel) {
      use.ended(cancel);
    }

    void release() {
      use.memory().release(bytes.getAndSet(0));
    }
  }

  /**
   * Parts of a read. The memory that the engine holds for its keys counts until the whole read is
   * closed.
   */
  private record Parts(
      PartedRead plain, ReadRequest request, Held held, ReadNote note, QueryUse use)
      implements PartedRead {
    @Override
    public int size() {
      return plain.size();
    }

    @Override
    public int leastPart() {
      return plain.leastPart();
    }

    @Override
    public RunCursor part(int from, int to) {
      use.ensureWanted();
      return new Cursor(
          plain.part(from, to),
          () -> {},
          note,
          use,
          use.progress().begin(request, () -> keys(to - from)));
    }

    /** Estimates the number of keys of some series; a key has one or more series. */
    private double keys(int series) {
      return (double) series * held.keys() / Math.max(1, plain.size());
    }

    @Override
    public ReadCost cost() {
      return plain.cost();
    }

    @Override
    public void cancel() {
      plain.cancel();
    }

    @Override
    public void close() {
      note.ended(plain.cost());
      plain.close();
      held.release();
    }
  }

  /** A read for the query log. It is noted once, when it ends. */
  private static final class ReadNote {
    private final @Nullable Dataset dataset;
    private final QueryUse use;
    private final ReadRequest request;
    private final LongSupplier keys;
    private final AtomicLong samples = new AtomicLong();
    private final AtomicBoolean noted = new AtomicBoolean();
    private final long began = System.nanoTime();

    ReadNote(@Nullable Dataset dataset, QueryUse use, ReadRequest request, LongSupplier keys) {
      this.dataset = dataset;
      this.use = use;
      this.request = request;
      this.keys = keys;
    }

    void read(int more) {
      samples.addAndGet(more);
    }

    void ended(ReadCost cost) {
      Dataset of = dataset;
      if (of != null && noted.compareAndSet(false, true)) {
        use.log(of, request, keys.getAsLong(), cost, samples.get(), began);
      }
    }
  }

  private static final class Cursor implements RunCursor {
    /** Fetching the cost after every run would be expensive if runs are short. */
    private static final int RUNS_BETWEEN_COSTS = 64;

    private final RunCursor plain;
    private final Runnable release;
    private final ReadNote note;
    private final QueryUse use;
    private final Runnable cancel;
    private final ReadProgress.Part progress;
    private @Nullable Series last;
    private ReadCost counted = ReadCost.NOTHING;
    private int runs;
    private boolean closed;

    /**
     * Wraps a cursor.
     *
     * @param release called once, on close
     * @param note the whole read, of which this may be a part
     */
    Cursor(
        RunCursor plain,
        Runnable release,
        ReadNote note,
        QueryUse use,
        ReadProgress.Part progress) {
      this.plain = plain;
      this.release = release;
      this.note = note;
      this.use = use;
      this.progress = progress;
      this.cancel = plain::cancel;
      use.begun(cancel);
    }

    @Override
    public @Nullable Run next() {
      use.giveWay();
      Run run = pull();
      if (run == null) {
        progress.exhausted();
        return null;
      }
      if (!run.series().equals(last)) {
        if (last == null || !run.series().key().equals(last.key())) {
          progress.keyBegun();
        }
        last = run.series();
        use.seriesBegun();
      }
      int size = run.samples().size();
      if (size > 0) {
        progress.readUpTo(run.samples().time(size - 1));
      }
      note.read(size);
      use.samplesRead(size);
      if (++runs % RUNS_BETWEEN_COSTS == 0) {
        tellCost();
        use.ensureWithinBudget();
      }
      return run;
    }

    private @Nullable Run pull() {
      try {
        return plain.next();
      } catch (BudgetExceededException e) {
        tellCost();
        throw use.looksAtTooMuch();
      }
    }

    private void tellCost() {
      ReadCost now = plain.cost();
      use.cost(now.minus(counted));
      counted = now;
    }

    @Override
    public ReadCost cost() {
      return plain.cost();
    }

    @Override
    public void cancel() {
      plain.cancel();
    }

    @Override
    public void close() {
      if (closed) {
        return;
      }
      closed = true;
      use.ended(cancel);
      progress.end();
      tellCost();
      plain.close();
      release.run();
    }
  }
}
