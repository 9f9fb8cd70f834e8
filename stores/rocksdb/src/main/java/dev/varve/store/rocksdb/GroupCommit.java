package dev.varve.store.rocksdb;

import dev.varve.store.Durability;
import dev.varve.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
   */

  /** Where writes end up. */
  interface Log {
    /** Appends a batch, visible to readers from then on and durable with the next sync. */
    void write(byte[] batch) throws RocksDBException;

    void sync() throws RocksDBException;
  }

  /** What is to be written, made out by the writer when its turn comes. */
  interface Decision {
    /** Fails with a {@link StoreException} if nothing is to be written after all. */
    WriteRecords decide() throws RocksDBException;
  }

  /** Groups end at this size, so that the first of a group need not wait for long. */
  private static final int GROUP_BYTES = 8 << 20;

  private static final int QUEUE_LENGTH = 1024;

  private final Log log;
  private final BlockingQueue<Write> queue = new ArrayBlockingQueue<>(QUEUE_LENGTH);
  private final Write stop = new Write(() -> new WriteRecords(0), false, Durability.SYNCED);
  private final AtomicLong syncs = new AtomicLong();
  private final AtomicLong writes = new AtomicLong();

  GroupCommit(Log log) {
    this.log = log;
    Thread.ofPlatform().name("rocksdb-writer").daemon().start(this::run);
  }

  /** A write that was handed in. */
  static final class Write {
    private final Decision decision;

    /** Whether the decision depends on what was written before. */
    private final boolean looksBefore;

    private final Durability durability;
    private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

    private Write(Decision decision, boolean looksBefore, Durability durability) {
      this.decision = decision;
      this.looksBefore = looksBefore;
      this.durability = durability;
    }

    /**
     * Waits until the write is as durable as was asked.
     *
     * @throws StoreException if it failed; {@link StoreException#unknown()} if it may stand all the
     *     same
     */
    void await() {
      try {
        end.join();
      } catch (CompletionException e) {
        throw e.getCause() instanceof StoreException known
            ? known
            : new StoreException("rocksdb: " + e.getCause(), e.getCause(), true);
      }
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
    if (queue.size() < QUEUE_LENGTH / 2) {
      queue.offer(new Write(decision, true, Durability.ORDERED));
    }
  }

  private Write enqueue(Write write) {
    try {
      queue.put(write);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      write.fail(new StoreException("interrupted before the write was begun", e));
    }
    return write;
  }

  long syncs() {
    return syncs.get();
  }

  long writes() {
    return writes.get();
  }

  /** Syncs all that was handed in before; nothing may be handed in afterwards. */
  void close() {
    enqueue(stop).await();
  }

  private void run() {
    List<Write> group = new ArrayList<>();
    WriteRecords records = new WriteRecords(1 << 16);
    boolean stopped = false;
    while (!stopped) {
      try {
        group.add(queue.take());
      } catch (InterruptedException e) {
        // Nobody has a reason to: only close() ends this thread.
        continue;
      }
      queue.drainTo(group);
      stopped = group.contains(stop);
      commit(group, records);
      group.clear();
      if (records.byteCount() > GROUP_BYTES) {
        records = new WriteRecords(1 << 16);
      }
    }
  }

  /** Writes a group in pieces of a bounded size, each answered before the next is begun. */
  private void commit(List<Write> group, WriteRecords records) {
    List<Write> gathered = new ArrayList<>();
    List<Write> unsynced = new ArrayList<>();
    for (Write write : group) {
      if (write.looksBefore || records.byteCount() >= GROUP_BYTES) {
        write(records, gathered, unsynced);
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
    StoreException failure = null;
    if (!records.isEmpty()) {
      try {
        log.write(records.toBatch());
        writes.incrementAndGet();
      } catch (RocksDBException | RuntimeException | OutOfMemoryError e) {
        failure = unknown(e);
      }
    }
    for (Write write : gathered) {
      if (failure != null) {
        write.fail(failure);
      } else if (write.durability == Durability.SYNCED) {
        unsynced.add(write);
      } else {
        write.end.complete(null);
      }
    }
    records.clear();
    gathered.clear();
  }

  private void sync(List<Write> unsynced) {
    if (unsynced.isEmpty()) {
      return;
    }
    StoreException failure = null;
    try {
      log.sync();
      syncs.incrementAndGet();
    } catch (RocksDBException | RuntimeException e) {
      failure = unknown(e);
    }
    for (Write write : unsynced) {
      if (failure == null) {
        write.end.complete(null);
      } else {
        write.fail(failure);
      }
    }
  }

  private static StoreException unknown(Throwable e) {
    return new StoreException(
        "rocksdb: %s; whether the write stands is unknown".formatted(e.getMessage()), e, true);
  }
}
