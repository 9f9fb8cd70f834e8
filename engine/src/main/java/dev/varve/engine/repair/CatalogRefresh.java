package dev.varve.engine.repair;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.config.DatasetConfig.Refresh;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.home.IdentityTable.CatalogState;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.Period.Storage.Blocks;
import dev.varve.engine.progress.RebuildProgress;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.threads.BackgroundThread;
import dev.varve.engine.write.DatasetWriter;
import dev.varve.layout.Layout;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ResumeToken;
import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds the catalog of a dataset whose tables existed before it, and keeps it up to date if
 * another server writes to them.
 *
 * <p>If the layout has its own index, a thread polls it for recent rows, so that new series appear
 * within the configured refresh time. A full search finds late rows, and all rows of a layout
 * without an index. It starts a configured time after the previous one ended, and resumes after a
 * restart where it stopped.
 */
public final class CatalogRefresh implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CatalogRefresh.class);
  private static final Duration BEFORE_ANOTHER_TRY_MAX = Duration.ofSeconds(10);

  /**
   * The pause after a poll of the layout's index, as a multiple of the time that the poll took.
   * Polls therefore use at most a fifth of one connection, regardless of the size of the index.
   */
  private static final int PAUSE_FOR_EACH_LOOK = 4;

  /** Interval of progress messages in the log. */
  private static final Duration BETWEEN_LINES = Duration.ofSeconds(10);

  /** Samples later than this are found by the next full search. */
  private static final long RECENT_SECONDS = 3600;

  private final OpenDataset dataset;
  private final DatasetWriter writer;
  private final Refresh times;

  /** Guarded by {@link #rebuilding}. */
  private SeenHashes found = new SeenHashes();

  private final Set<String> knownMetrics = new TreeSet<>();
  private final LongAdder refreshes = new LongAdder();
  private final BackgroundThread thread;

  /** Has a permit if a search should begin at once, or if none should begin any more. */
  private final Semaphore called = new Semaphore(0);

  /** Called after the next full search, which takes no series as seen; null for nothing. */
  private final AtomicReference<@Nullable Runnable> anew = new AtomicReference<>();

  /** Held during a full search, so that only one runs at a time, and no series is removed. */
  private final ReentrantLock rebuilding = new ReentrantLock();

  private volatile RebuildProgress progress = RebuildProgress.NONE;
  private volatile boolean complete;
  private volatile long lastEnded = System.nanoTime();
  private volatile long lastLogged = System.nanoTime();

  public CatalogRefresh(OpenDataset dataset, DatasetWriter writer) {
    this.dataset = dataset;
    this.writer = writer;
    this.times = dataset.config().refresh();
    this.complete = dataset.home().identity().catalogState().complete();
    this.thread = BackgroundThread.named("catalog of " + dataset.name());
  }

  /** Starts to rebuild or refresh the catalog if necessary. */
  public void start() {
    boolean othersWrite = dataset.config().attached() != null;
    if (!complete || othersWrite) {
      thread.start(() -> work(othersWrite));
    }
  }

  private void work(boolean othersWrite) {
    boolean isRestart = complete;
    if (!isRestart) {
      LOG.info("dataset '{}': rebuilding the catalog from existing rows", dataset.name());
      while (!complete && !thread.isStopped()) {
        attempt(() -> rebuild(now -> {}));
      }
      if (thread.isStopped()) {
        return;
      }
      knownMetrics.addAll(
          dataset
              .index()
              .labelValues(
                  Series.NAME_LABEL,
                  new Selector(List.of()),
                  null,
                  Integer.MAX_VALUE,
                  ReadGuard.NONE));
      LOG.info(
          "dataset '{}': the catalog is rebuilt: {} rows, {} series, {} rows damaged, {} bytes read",
          dataset.name(),
          progress.rows(),
          progress.series(),
          progress.damaged(),
          progress.bytes());
    }
    if (othersWrite) {
      keepUp(isRestart);
    }
  }

  /**
   * Polls until stopped. After a restart it begins at once, to find rows written in the meantime.
   */
  private void keepUp(boolean isRestart) {
    boolean indexed = layout().directory().isPresent();
    boolean isDue = isRestart && !indexed;
    long searched = System.nanoTime();
    long pause;
    do {
      pause = Long.MAX_VALUE;
      if (indexed) {
        long began = System.nanoTime();
        boolean ended = attempt(this::listRecent);
        long took = System.nanoTime() - began;
        pause = ended ? Math.max(times.within().toNanos() / 2, PAUSE_FOR_EACH_LOOK * took) : 0;
      }
      if (isDue || System.nanoTime() - searched >= times.rescan().toNanos()) {
        isDue = !attempt(() -> rebuild(now -> {}));
        searched = System.nanoTime();
      }
      long untilNext = isDue ? 0 : searched + times.rescan().toNanos() - System.nanoTime();
      isDue |= isCalled(Math.min(pause, Math.max(0, untilNext)));
    } while (!thread.isStopped());
  }

  /** Waits, and returns whether a search was requested meanwhile. */
  private boolean isCalled(long nanos) {
    try {
      boolean isCalled = called.tryAcquire(nanos, TimeUnit.NANOSECONDS);
      return isCalled && called.drainPermits() >= 0;
    } catch (InterruptedException e) {
      thread.stop();
      return false;
    }
  }

  /**
   * Begins another full search, which identifies every series again because names may have changed.
   * Does nothing unless other programs write to the tables.
   *
   * @param then runs once the search has ended
   */
  public void searchAnew(Runnable then) {
    anew.set(then);
    called.release();
  }

  /**
   * Runs work and returns whether it completed. Waits after a failure, before the caller retries.
   */
  private boolean attempt(Runnable work) {
    try {
      work.run();
      return true;
    } catch (StoreException | ReadCancelledException | WriteFailedException e) {
      LOG.warn(
          "dataset '{}': search for series failed and will be retried: {}",
          dataset.name(),
          e.getMessage());
      thread.pause(beforeAnotherTry());
      return false;
    } catch (RuntimeException e) {
      LOG.error("dataset '{}': search for series failed and will be retried", dataset.name(), e);
      thread.pause(beforeAnotherTry());
      return false;
    }
  }

  private Duration beforeAnotherTry() {
    return times.within().compareTo(BEFORE_ANOTHER_TRY_MAX) < 0
        ? times.within()
        : BEFORE_ANOTHER_TRY_MAX;
  }

  private void listRecent() {
    long from = dataset.now() - Resolution.SECONDS.convert(RECENT_SECONDS, dataset.resolution());
    CatalogRebuild look = search(dataset.periods().all().getFirst(), now -> {});
    if (look.listRecent(new TimeRange(from, Long.MAX_VALUE), knownMetrics)) {
      refreshed();
    }
  }

  private void refreshed() {
    lastEnded = System.nanoTime();
    refreshes.increment();
  }

  private Layout layout() {
    return dataset.periods().all().getFirst().primary().layout();
  }

  /**
   * Finds the series that other programs wrote to the tables of the dataset, by their rows. Waits
   * for a search in progress. Resumes an interrupted search where it stopped.
   *
   * @param listener receives progress from time to time, on the calling thread
   */
  public void rebuild(Consumer<RebuildProgress> listener) {
    rebuilding.lock();
    try {
      Consumer<RebuildProgress> both =
          now -> {
            progress = now;
            log(now);
            listener.accept(now);
          };
      Runnable then = anew.getAndSet(null);
      if (then != null) {
        found = new SeenHashes();
      }
      if (searchAll(both)) {
        if (then != null) {
          then.run();
        }
        dataset.home().identity().catalogState(CatalogState.COMPLETE, dataset.stamps(1));
        complete = true;
        refreshed();
      }
    } finally {
      rebuilding.unlock();
    }
  }

  /**
   * Searches the periods one after another, from where the last search was interrupted. If the
   * catalog is complete, searches only the first period, because other servers write nowhere else.
   *
   * @return whether the search reached the end
   */
  private boolean searchAll(Consumer<RebuildProgress> listener) {
    CatalogState state = dataset.home().identity().catalogState();
    List<Period> periods = dataset.periods().all();
    int first = !state.complete() && state.period() < periods.size() ? state.period() : 0;
    @Nullable ResumeToken from = first == state.period() ? state.token() : null;
    RebuildProgress before = RebuildProgress.NONE;
    for (Period period : periods.subList(first, state.complete() ? 1 : periods.size())) {
      RebuildProgress sum = before;
      if (period.storage() instanceof Blocks(BlockTiers blocks)) {
        BlockCatalog catalog = new BlockCatalog(dataset, writer, blocks, thread::isStopped);
        if (!catalog.run()) {
          return false;
        }
        before = before.plus(catalog.progress());
        listener.accept(before);
        from = null;
        continue;
      }
      CatalogRebuild search = search(period, now -> listener.accept(sum.plus(now)));
      if (!search.run(from)) {
        return false;
      }
      before = before.plus(search.progress());
      listener.accept(before);
      from = null;
    }
    return true;
  }

  private CatalogRebuild search(Period period, Consumer<RebuildProgress> listener) {
    SeenHashes seen = period.index() == 0 ? found : new SeenHashes();
    return new CatalogRebuild(dataset, writer, period, seen, listener, thread::isStopped);
  }

  private void log(RebuildProgress now) {
    if (!complete && System.nanoTime() - lastLogged > BETWEEN_LINES.toNanos()) {
      lastLogged = System.nanoTime();
      LOG.info(
          "dataset '{}': rebuilding the catalog: {} rows read, {} series found, {} rows damaged",
          dataset.name(),
          now.rows(),
          now.series(),
          now.damaged());
    }
  }

  /**
   * Returns the lock of full searches. While it is held none runs, so that nothing adds a series to
   * the catalog whose row was read before.
   */
  public Lock searching() {
    return rebuilding;
  }

  /** Returns whether all series are known that existed when the dataset was created. */
  public boolean isComplete() {
    return complete;
  }

  /** Returns the progress of the current full search, or the result of the last one. */
  public RebuildProgress progress() {
    return progress;
  }

  /** Returns metrics of the refresh for operators, by name. */
  public Map<String, Double> figures() {
    Map<String, Double> figures = new TreeMap<>();
    figures.put("catalog_complete", complete ? 1.0 : 0.0);
    figures.put("catalog_rebuilt_rows", (double) progress.rows());
    figures.put("catalog_rebuilt_series", (double) progress.series());
    figures.put("catalog_rebuilt_bytes", (double) progress.bytes());
    if (dataset.config().attached() != null) {
      figures.put("catalog_refreshes_total", refreshes.doubleValue());
      figures.put("catalog_refresh_age_seconds", (System.nanoTime() - lastEnded) / 1e9);
    }
    return figures;
  }

  /** Stops the current search and prevents further ones. They resume after a restart. */
  public void stop() {
    thread.stop();
    called.release();
  }

  @Override
  public void close() {
    stop();
    thread.close();
  }
}
