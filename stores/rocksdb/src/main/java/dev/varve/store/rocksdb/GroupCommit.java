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
 * The one writer: takes the writes of all callers in the order in which they come, puts those that
 * wait together into one batch, and syncs once for all of them.
 */
final class GroupCommit {
  /*
   * A group is written to the log without a sync, those who asked for order alone are answered, and
   * then one sync serves all who asked for more. The log is one file after the other, so a sync
   * covers whatever was written before it.
   *
   * Being the only one that writes, the writer can also read, decide and write what it has decided
   * with nothing in between: that is all that conditional puts and increments need.
   *
   * RocksDB holds a write back for as long as its background work cannot keep up, which on a disk
   * without room is for ever. Nobody waits for that longer than the patience: what was not begun by
   * then is withdrawn, what was begun is unknown. Where that work fails again and again, so that
   * each write would take longer than the one before, nothing is begun any more until it gets on.
   *
   * After a sync that failed nothing is begun any more for good: the kernel may have dropped what it
   * could not write, so that a later sync succeeds and covers less than it seems to.
   */

  /** Where writes end up. */
  interface Log {
    /** Appends a batch, visible to readers from then on and durable with the next sync. */
    void write(WriteRecords batch) throws RocksDBException;

    void sync() throws RocksDBException;

    /** What may be why a write takes long, in words; answers at once, from any thread. */
    String condition();

    /**
     * Whether writes are held back, and were all the time since the work that they wait for has
     * failed. Asked by the writer alone, now and then.
     */
    boolean isStarved();

    /** Whether background work has failed, so that it is worth looking whether writes do, too. */
    boolean isSuspect();

    /**
     * Why nothing can be written any more until the log is opened anew, in words; null where it
     * can. Answers at once, from any thread.
     */
    @Nullable String obstacle();

    /** A record that changes nothing, written to see whether writes succeed. */
    WriteRecords probe();
  }

  /** What is to be written, made out by the writer when its turn comes. */
  interface Decision {
    /** Fails with a {@link StoreException} if nothing is to be written after all. */
    WriteRecords decide() throws RocksDBException;
  }

  /** Groups end at this size, so that the first of a group need not wait for long. */
  private static final int GROUP_BYTES = 8 << 20;

  private static final int QUEUE_LENGTH = 1024;

  /** Nothing to write, and nothing comes behind it. */
  private static final Decision STOP = () -> new WriteRecords(0);

  /** Longer than any stall of a store that only has much to do. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Log log;
  private final long patienceNanos;

  /** With the usual patience twice as long as RocksDB takes to try again what has failed. */
  private final long lookNanos;

  private final Thread thread;
  private final BlockingQueue<Write> queue = new ArrayBlockingQueue<>(QUEUE_LENGTH);

  /** {@link System#nanoTime} of when the writer began what it is at. */
  private volatile long busySince;

  private volatile boolean busy;
  private volatile boolean starved;

  /** Why the last batch could not be written or synced; null where it could. */
  private volatile @Nullable String failure;

  /** Why a sync failed; null as long as none has. */
  private volatile @Nullable String syncFailure;

  private long looked = System.nanoTime();
  private final AtomicLong syncs = new AtomicLong();
  private final AtomicLong writes = new AtomicLong();

  GroupCommit(Log log) {
    this(log, PATIENCE);
  }

  /** With another patience: how long a caller waits for the end of a write at most. */
  GroupCommit(Log log, Duration patience) {
    this.log = log;
    this.patienceNanos = patience.toNanos();
    this.lookNanos = patienceNanos / 10;
    this.thread = Thread.ofPlatform().name("rocksdb-writer").daemon().start(this::run);
  }

  /** A write that was handed in. */
  final class Write {
    private final Decision decision;

    /** Whether the decision depends on what was written before. */
    private final boolean looksBefore;

    private final Durability durability;
    private final long handedIn = System.nanoTime();
    private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

    /** Set once, by the writer that begins it or by the caller who withdraws it. */
    private final AtomicBoolean taken = new AtomicBoolean();

    private Write(Decision decision, boolean looksBefore, Durability durability) {
      this.decision = decision;
      this.looksBefore = looksBefore;
      this.durability = durability;
    }

    /**
     * Waits until the write is as durable as was asked.
     *
     * @throws StoreException if it failed or took too long; {@link StoreException#unknown()} if it
     *     may stand all the same
     */
    void await() {
      try {
        awaitEnd();
      } catch (ExecutionException e) {
        throw e.getCause() instanceof StoreException known
            ? known
            : new StoreException("rocksdb: " + e.getCause(), e.getCause(), true);
      } catch (TimeoutException e) {
        throw withdraw() ? notBegun() : slow("whether the write stands is unknown", true);
      }
    }

    private void awaitEnd() throws ExecutionException, TimeoutException {
      boolean interrupted = false;
      try {
        while (true) {
          try {
            end.get(patienceNanos - (System.nanoTime() - handedIn), TimeUnit.NANOSECONDS);
            return;
          } catch (InterruptedException e) {
            // Its end is told all the same: a caller who left would not know what stands.
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

  /** Hands in a write whose decision looks at nothing; blocks while the queue is full. */
  Write submit(Decision decision, Durability durability) {
    return enqueue(new Write(decision, false, durability));
  }

  /** Hands in a write whose decision needs to see all that was handed in before. */
  Write submitLooking(Decision decision, Durability durability) {
    return enqueue(new Write(decision, true, durability));
  }

  /** Hands in what may as well be left undone, and is, where much waits already. */
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
                "rocksdb takes no writes (%s): the write was not begun".formatted(obstacle)));
      } else if (starved) {
        write.fail(starving());
      } else if (isStalled() || !queue.offer(write, patienceNanos, TimeUnit.NANOSECONDS)) {
        write.fail(notBegun());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      write.fail(new StoreException("interrupted before the write was begun", e));
    }
    return write;
  }

  /** Whether the writer has been at one piece of work for longer than anybody waits. */
  boolean isStalled() {
    return busy && System.nanoTime() - busySince > patienceNanos;
  }

  /**
   * Why writes fail, in words; null where nothing is known to be in their way. Answers at once,
   * from any thread.
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
      return "compactions fail again and again (%s)".formatted(log.condition());
    }
    return isStalled()
        ? "no write has ended for %d s (%s)"
            .formatted(TimeUnit.NANOSECONDS.toSeconds(patienceNanos), log.condition())
        : null;
  }

  private StoreException notBegun() {
    return slow("the write was not begun", false);
  }

  private StoreException starving() {
    return new StoreException(
        "rocksdb fails to compact what was written, again and again (%s): the write was not begun"
            .formatted(log.condition()));
  }

  private StoreException notSynced() {
    return new StoreException(
        "rocksdb: the disk failed to sync the log (%s): the write was not begun, and none will be until the server is started again; check the disk first"
            .formatted(syncFailure));
  }

  /** Why no write will be begun until the store is opened again; null where writes go on. */
  @Nullable String stopped() {
    return syncFailure == null ? null : "the disk failed to sync the log: " + syncFailure;
  }

  private StoreException slow(String outcome, boolean unknown) {
    return new StoreException(
        "rocksdb has taken no write for %d s (%s): %s"
            .formatted(TimeUnit.NANOSECONDS.toSeconds(patienceNanos), log.condition(), outcome),
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
   * Syncs all that was handed in before; nothing may be handed in afterwards.
   *
   * @throws StoreException if that failed, or took too long: then {@link #hasEnded} tells whether
   *     the log may be closed
   */
  void close() {
    Write stop = new Write(STOP, false, Durability.SYNCED);
    try {
      // Behind a stalled write too, so that the writer ends once that one has.
      if (!queue.offer(stop, patienceNanos, TimeUnit.NANOSECONDS)) {
        stop.fail(notBegun());
      }
      stop.await();
      thread.join(Duration.ofNanos(patienceNanos));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether the writer has ended, and touches the log no more. */
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
        // Nobody has a reason to: only close() ends this thread.
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
      // It must not end this thread; the next write tells by itself what is wrong.
      starved = false;
    }
  }

  private void begin() {
    busySince = System.nanoTime();
    busy = true;
  }

  /** Writes a group in pieces of a bounded size, each answered before the next is begun. */
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
      try {
        records.addAll(write.decision.decide());
        gathered.add(write);
      } catch (StoreException e) {
        write.fail(e);
      } catch (RocksDBException | RuntimeException | OutOfMemoryError e) {
        // Whatever it is, it must not end this thread: every later write would wait for ever.
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
    StoreException failed = null;
    try {
      log.sync();
      syncs.incrementAndGet();
      failure = null;
    } catch (RocksDBException | RuntimeException e) {
      failed = unknown(e);
      failure = String.valueOf(e.getMessage());
      syncFailure = failure;
    }
    for (Write write : unsynced) {
      if (failed == null) {
        write.end.complete(null);
      } else {
        write.fail(failed);
      }
    }
  }

  private static StoreException unknown(Throwable e) {
    return new StoreException(
        "rocksdb: %s; whether the write stands is unknown".formatted(e.getMessage()), e, true);
  }
}
