package dev.varve.store.rocksdb;

import dev.varve.store.Durability;
import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * The single writer. It takes the writes of all callers in order of arrival, combines those that
 * are waiting into one batch, and syncs once for all of them.
 */
final class GroupCommit {
  /*
   * The writer appends a group to the log without a sync, answers callers that asked for order
   * alone, and then syncs once for all others. The log is a sequence of files, so a sync covers
   * everything written before it.
   *
   * Because nobody else writes, the writer can read, decide and write with nothing in between. That
   * is all that conditional puts and increments need.
   *
   * RocksDB delays a write until its background work catches up. On a full disk that may never
   * happen. Callers wait no longer than the timeout: a write that has not begun by then is
   * withdrawn, and the outcome of a write that has begun is unknown. If background work keeps
   * failing, each write would take longer than the one before, so no write begins until the work
   * makes progress.
   *
   * After a failed sync no write ever begins again: the kernel may have dropped the data that it
   * could not write, so that a later sync succeeds without covering it.
   */

  /** The destination of writes. */
  interface Log {
    /** Appends a batch. Readers see it at once; the next sync makes it durable. */
    void write(WriteRecords batch) throws RocksDBException;

    /** Makes everything that was written durable. */
    void sync() throws RocksDBException;

    /**
     * Records what the last sync covered, before it is acknowledged. If that fails, the writes
     * fail, and the call after the next sync tries again.
     *
     * @throws StoreException if it cannot be recorded
     */
    void noteSync() throws RocksDBException;

    /** Returns, in words, a likely reason why writes are slow. Returns at once, from any thread. */
    String condition();

    /**
     * Returns whether writes are being held back, and have been ever since the background work that
     * they wait for failed. Called from time to time, by the writer alone.
     */
    boolean isStarved();

    /** Returns whether background work has failed, so that a probe write is worthwhile. */
    boolean isSuspect();

    /**
     * Returns, in words, why nothing can be written until the log is reopened; null if writing is
     * possible. Returns at once, from any thread.
     */
    @Nullable String obstacle();

    /** Returns a record without effect, written to probe whether writes succeed. */
    WriteRecords probe();
  }

  /** Produces the records to write, when the writer reaches it. */
  interface Decision {
    /**
     * Returns the records to write.
     *
     * @throws StoreException if nothing is to be written after all
     */
    WriteRecords decide() throws RocksDBException;
  }

  /** Size limit of a group, in bytes, so that its first write need not wait long. */
  private static final int GROUP_BYTES = 8 << 20;

  private static final int QUEUE_LENGTH = 1024;

  /** Nothing to write, and nothing follows. */
  private static final Decision STOP = () -> new WriteRecords(0);

  /** Longer than any stall of a store that is merely busy. */
  private static final Duration WAIT_MAX = Duration.ofSeconds(20);

  private final Log log;
  private final long timeoutNanos;

  /**
   * Interval between checks of RocksDB's background work. With the default timeout, twice the
   * interval at which RocksDB retries failed work.
   */
  private final long lookNanos;

  private final Thread thread;
  private final BlockingQueue<Write> queue = new ArrayBlockingQueue<>(QUEUE_LENGTH);

  /** {@link System#nanoTime} when the writer started its current work. */
  private volatile long busySince;

  private volatile boolean busy;
  private volatile boolean starved;

  /** Why the last batch could not be written or synced; null if it succeeded. */
  private volatile @Nullable String failure;

  /** Why a sync failed; null if none has failed. */
  private volatile @Nullable String syncFailure;

  private long looked = System.nanoTime();
  private final AtomicLong syncs = new AtomicLong();
  private final AtomicLong writes = new AtomicLong();

  GroupCommit(Log log) {
    this(log, WAIT_MAX);
  }

  /**
   * Creates a writer.
   *
   * @param timeout how long a caller waits for the end of a write
   */
  GroupCommit(Log log, Duration timeout) {
    this.log = log;
    this.timeoutNanos = timeout.toNanos();
    this.lookNanos = timeoutNanos / 10;
    this.thread = Thread.ofPlatform().name("rocksdb-writer").daemon().start(this::run);
  }

  /** A submitted write. */
  final class Write {
    private final Decision decision;

    /** Whether the decision depends on earlier writes. */
    private final boolean looksBefore;

    private final Durability durability;
    private final long handedIn = System.nanoTime();
    private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

    /** Set once, by the writer that begins the write or by the caller that withdraws it. */
    private final AtomicBoolean taken = new AtomicBoolean();

    private Write(Decision decision, boolean looksBefore, Durability durability) {
      this.decision = decision;
      this.looksBefore = looksBefore;
      this.durability = durability;
    }

    /**
     * Waits until the write is as durable as requested.
     *
     * @throws StoreException if it failed or timed out; {@link StoreException#unknown()} if it may
     *     have been applied nonetheless
     */
    void await() {
      try {
        awaitEnd();
      } catch (ExecutionException e) {
        throw e.getCause() instanceof StoreException known
            ? known
            : new StoreException("rocksdb: " + e.getCause(), e.getCause(), true);
      } catch (TimeoutException e) {
        throw withdraw() ? notBegun() : slow("whether the write was applied is unknown", true);
      }
    }

    private void awaitEnd() throws ExecutionException, TimeoutException {
      boolean interrupted = false;
      try {
        while (true) {
          try {
            end.get(timeoutNanos - (System.nanoTime() - handedIn), TimeUnit.NANOSECONDS);
            return;
          } catch (InterruptedException e) {
            // Keep waiting: a caller that gave up here would not know the outcome.
            interrupted = true;
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    private boolean begin() {
      return taken.compareAndSet(false, true);
    }

    private boolean withdraw() {
      return taken.compareAndSet(false, true);
    }

    private void fail(StoreException failure) {
      end.completeExceptionally(failure);
    }
  }

  /** Submits a write whose decision reads nothing; blocks while the queue is full. */
  Write submit(Decision decision, Durability durability) {
    return enqueue(new Write(decision, false, durability));
  }

  /** Submits a write whose decision must see everything submitted before. */
  Write submitLooking(Decision decision, Durability durability) {
    return enqueue(new Write(decision, true, durability));
  }

  /**
   * Stops the writer after everything submitted before is written, until the pause is closed.
   *
   * @throws StoreException if the writer does not reach it in time
   */
  WriterPause pause() {
    WriterPause pause = new WriterPause();
    Write write = submitLooking(pause, Durability.ORDERED);
    var _ = write.end.whenComplete((done, failed) -> pause.ended());
    if (!pause.await(timeoutNanos) && write.withdraw()) {
      throw notBegun();
    }
    pause.await(timeoutNanos);
    if (!pause.isInForce()) {
      pause.close();
      write.await();
      throw notBegun();
    }
    return pause;
  }

  /** Submits an optional write, which is dropped if the queue is already long. */
  void offer(Decision decision) {
    if (!starved && syncFailure == null && queue.size() < QUEUE_LENGTH / 2) {
      queue.offer(new Write(decision, true, Durability.ORDERED));
    }
  }

  private Write enqueue(Write write) {
    try {
      String obstacle = log.obstacle();
      if (syncFailure != null) {
        write.fail(notSynced());
      } else if (obstacle != null) {
        write.fail(
            new StoreException(
                "rocksdb takes no writes (%s): the write was not started".formatted(obstacle)));
      } else if (starved) {
        write.fail(starving());
      } else if (isStalled() || !queue.offer(write, timeoutNanos, TimeUnit.NANOSECONDS)) {
        write.fail(notBegun());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      write.fail(new StoreException("interrupted before the write was started", e));
    }
    return write;
  }

  /**
   * Returns whether the writer has been busy with one piece of work for longer than callers wait.
   */
  boolean isStalled() {
    return busy && System.nanoTime() - busySince > timeoutNanos;
  }

  /**
   * Returns, in words, why writes fail; null if no reason is known. Returns at once, from any
   * thread.
   */
  @Nullable String obstacle() {
    String lasting = syncFailure == null ? log.obstacle() : stopped();
    if (lasting != null) {
      return lasting;
    }
    String last = failure;
    if (last != null) {
      return "the last write failed: %s (%s)".formatted(last, log.condition());
    }
    if (starved) {
      return "compactions keep failing (%s)".formatted(log.condition());
    }
    return isStalled()
        ? "no write has completed for %d s (%s)"
            .formatted(TimeUnit.NANOSECONDS.toSeconds(timeoutNanos), log.condition())
        : null;
  }

  private StoreException notBegun() {
    return slow("the write was not started", false);
  }

  private StoreException starving() {
    return new StoreException(
        "rocksdb compactions keep failing (%s): the write was not started"
            .formatted(log.condition()));
  }

  private StoreException notSynced() {
    return new StoreException(
        "rocksdb: the disk failed to sync the log (%s): the write was not started, and no write will be until the server is restarted; check the disk first"
            .formatted(syncFailure));
  }

  /** Returns why no write will begin until the store is reopened; null if writes proceed. */
  @Nullable String stopped() {
    return syncFailure == null ? null : "the disk failed to sync the log: " + syncFailure;
  }

  private StoreException slow(String outcome, boolean unknown) {
    return new StoreException(
        "rocksdb has not accepted a write for %d s (%s): %s"
            .formatted(TimeUnit.NANOSECONDS.toSeconds(timeoutNanos), log.condition(), outcome),
        null,
        unknown);
  }

  long syncs() {
    return syncs.get();
  }

  long writes() {
    return writes.get();
  }

  /**
   * Syncs everything submitted before; nothing may be submitted afterwards.
   *
   * @throws StoreException if the sync failed or timed out; {@link #hasEnded} then says whether the
   *     log may be closed
   */
  void close() {
    Write stop = new Write(STOP, false, Durability.SYNCED);
    try {
      // Queued even after a stalled write, so that the writer ends once that write has.
      if (!queue.offer(stop, timeoutNanos, TimeUnit.NANOSECONDS)) {
        stop.fail(notBegun());
      }
      stop.await();
      thread.join(Duration.ofNanos(timeoutNanos));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether the writer has ended and no longer uses the log. */
  boolean hasEnded() {
    return !thread.isAlive();
  }

  private void run() {
    List<Write> group = new ArrayList<>();
    WriteRecords records = new WriteRecords(1 << 16);
    boolean stopped = false;
    while (!stopped) {
      try {
        Write first = queue.poll(lookNanos, TimeUnit.NANOSECONDS);
        if (first != null) {
          group.add(first);
        } else if (syncFailure == null
            && log.obstacle() == null
            && (failure != null || log.isSuspect())) {
          group.add(new Write(log::probe, false, Durability.SYNCED));
        }
      } catch (InterruptedException e) {
        // Nothing interrupts this thread deliberately: only close() ends it.
        continue;
      }
      queue.drainTo(group);
      stopped = group.stream().anyMatch(write -> write.decision.equals(STOP));
      begin();
      commit(group, records);
      busy = false;
      group.clear();
      look();
      if (records.byteCount() > GROUP_BYTES) {
        records = new WriteRecords(1 << 16);
      }
    }
  }

  private void look() {
    if (System.nanoTime() - looked < lookNanos) {
      return;
    }
    looked = System.nanoTime();
    try {
      starved = log.isStarved();
    } catch (RuntimeException | OutOfMemoryError e) {
      // It must not end this thread; the next write reports the problem itself.
      starved = false;
    }
  }

  private void begin() {
    busySince = System.nanoTime();
    busy = true;
  }

  /** Writes a group in pieces of bounded size; answers each piece before the next one begins. */
  private void commit(List<Write> group, WriteRecords records) {
    List<Write> gathered = new ArrayList<>();
    List<Write> unsynced = new ArrayList<>();
    for (Write write : group) {
      if (write.looksBefore || records.byteCount() >= GROUP_BYTES) {
        write(records, gathered, unsynced);
        begin();
      }
      if (!write.begin()) {
        continue;
      }
      if (syncFailure != null && !write.decision.equals(STOP)) {
        write.fail(notSynced());
        continue;
      }
      if (write.decision instanceof WriterPause) {
        // Earlier writes must not wait for the end of the pause.
        write(records, gathered, unsynced);
        sync(unsynced);
        unsynced.clear();
      }
      try {
        records.addAll(write.decision.decide());
        gathered.add(write);
      } catch (StoreException e) {
        write.fail(e);
      } catch (RocksDBException | RuntimeException | OutOfMemoryError e) {
        // No failure may end this thread: every later write would wait forever.
        write.fail(new StoreException("rocksdb: " + e, e));
      }
    }
    write(records, gathered, unsynced);
    sync(unsynced);
  }

  private void write(WriteRecords records, List<Write> gathered, List<Write> unsynced) {
    StoreException failed = null;
    if (!records.isEmpty()) {
      try {
        log.write(records);
        writes.incrementAndGet();
      } catch (RocksDBException | RuntimeException | OutOfMemoryError e) {
        failed = unknown(e);
        failure = String.valueOf(e.getMessage());
      }
    }
    for (Write write : gathered) {
      if (failed != null) {
        write.fail(failed);
      } else if (isSynced(write)) {
        unsynced.add(write);
      } else {
        write.end.complete(null);
      }
    }
    records.clear();
    gathered.clear();
  }

  private static boolean isSynced(Write write) {
    return write.durability == Durability.SYNCED;
  }

  private void sync(List<Write> unsynced) {
    if (unsynced.isEmpty()) {
      return;
    }
    StoreException failed = syncLog();
    for (Write write : unsynced) {
      if (failed == null) {
        write.end.complete(null);
      } else {
        write.fail(failed);
      }
    }
  }

  /** Returns why the log could not be synced, or why that could not be recorded; null if it was. */
  private @Nullable StoreException syncLog() {
    try {
      log.sync();
      syncs.incrementAndGet();
    } catch (RocksDBException | RuntimeException | OutOfMemoryError e) {
      failure = String.valueOf(e.getMessage());
      syncFailure = failure;
      return unknown(e);
    }
    try {
      log.noteSync();
    } catch (RocksDBException | RuntimeException | OutOfMemoryError e) {
      failure = String.valueOf(e.getMessage());
      return unknown(e);
    }
    failure = null;
    return null;
  }

  private static StoreException unknown(Throwable e) {
    return new StoreException(
        "rocksdb: %s; whether the write was applied is unknown".formatted(e.getMessage()), e, true);
  }
}
