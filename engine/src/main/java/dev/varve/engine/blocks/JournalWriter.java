package dev.varve.engine.blocks;

import dev.varve.engine.config.JournalConfig;
import dev.varve.engine.config.JournalConfig.Sync;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.store.Durability;
import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends entries to a journal, and decides when the writer of a batch may go on: after the disk
 * has the entry, after the operating system has it, or at once. Safe for use by several threads.
 *
 * <p>If writers wait for the operating system only, a thread syncs the journal once per second
 * while there is something to sync. If they wait for nothing, the same thread appends what is
 * queued and syncs at once; a writer waits only while too many bytes are queued.
 */
final class JournalWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JournalWriter.class);

  /** Interval at which a journal is synced for which writers do not wait. */
  private static final Duration SYNC_INTERVAL = Duration.ofSeconds(1);

  /** Interval at which a failed append or sync is tried again. */
  private static final Duration BEFORE_ANOTHER_TRY = Duration.ofSeconds(1);

  /** Time that a writer waits for room in the queue. */
  private static final Duration WAIT_MAX = Duration.ofSeconds(1);

  /** Time that a close waits for the queue. */
  private static final Duration CLOSE_WAIT_MAX = Duration.ofSeconds(30);

  private static final int QUEUED_BYTES_MAX = 8 << 20;

  /** Number of entries that are kept for the next batches. */
  private static final int POOLED = 4;

  /** Largest capacity of a pooled entry, in bytes. */
  private static final int POOLED_BYTES = 1 << 18;

  private final String name;
  private final Journal journal;
  private final Sync sync;
  private final Queue<JournalEntry> spare = new ArrayBlockingQueue<>(POOLED);

  /** Guards the queue and what decides whether the thread waits. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private final Deque<Queued> queue = new ArrayDeque<>();

  /** Bytes of entries that are queued or being written. */
  private long queuedBytes;

  /** Whether something was appended after the last sync began. */
  private boolean dirty;

  private boolean closed;
  private @Nullable Thread background;

  private record Queued(long stamp, JournalEntry entry) {}

  /**
   * @param name of the dataset, for messages
   */
  JournalWriter(String name, Journal journal, JournalConfig config) {
    this.name = name;
    this.journal = journal;
    this.sync = config.sync();
  }

  /** Starts the thread that syncs, if writers do not. */
  void start() {
    if (sync != Sync.FSYNC) {
      background = Thread.ofPlatform().daemon().name("journal of " + name).start(this::run);
    }
  }

  /** Returns a batch as an entry, which must be {@linkplain #append appended}. */
  JournalEntry encode(ColumnBatch batch) {
    JournalEntry pooled = spare.poll();
    JournalEntry entry = pooled == null ? new JournalEntry() : pooled;
    entry.encode(batch);
    return entry;
  }

  /**
   * Appends an entry, which the caller must not use afterwards.
   *
   * @throws WriteFailedException if the store failed; whether the entry was appended is unknown
   * @throws OverloadedException if too many entries are queued; the entry was not appended
   */
  void append(long stamp, JournalEntry entry) {
    if (sync == Sync.ASYNC && enqueue(stamp, entry)) {
      return;
    }
    journal.append(stamp, entry, sync == Sync.FSYNC ? Durability.SYNCED : Durability.ORDERED);
    release(entry);
    if (sync != Sync.FSYNC) {
      noteAppended();
    }
  }

  private void release(JournalEntry entry) {
    if (entry.bytes().length <= POOLED_BYTES) {
      spare.offer(entry);
    }
  }

  private void noteAppended() {
    lock.lock();
    try {
      if (!dirty) {
        dirty = true;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns false if the journal is closed. */
  private boolean enqueue(long stamp, JournalEntry entry) {
    long left = WAIT_MAX.toNanos();
    lock.lock();
    try {
      while (!closed && queuedBytes > 0 && queuedBytes + entry.length() > QUEUED_BYTES_MAX) {
        if (left <= 0) {
          throw new OverloadedException(
              "dataset '%s': %,d bytes wait to be written to the journal, the limit is %,d: try again"
                  .formatted(name, queuedBytes, QUEUED_BYTES_MAX),
              WAIT_MAX);
        }
        left = changed.awaitNanos(left);
      }
      if (closed) {
        return false;
      }
      queue.add(new Queued(stamp, entry));
      queuedBytes += entry.length();
      changed.signalAll();
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OverloadedException("interrupted while waiting for the journal", WAIT_MAX);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the bytes of accepted entries that the store does not have yet. */
  long queuedBytes() {
    lock.lock();
    try {
      return queuedBytes;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    for (List<Queued> next = next(); next != null; next = next()) {
      boolean failing = false;
      while (!tryToWrite(next, failing)) {
        failing = true;
        if (!pause()) {
          return;
        }
      }
    }
  }

  /**
   * Writes entries, as far as the store permits.
   *
   * @param failed whether that failed before, which is logged once
   */
  private boolean tryToWrite(List<Queued> entries, boolean failed) {
    try {
      write(entries);
      return true;
    } catch (StoreException | WriteFailedException e) {
      if (!failed) {
        LOG.error(
            "dataset '{}': the journal cannot be written, which is retried; what was accepted since is in memory only: {}",
            name,
            e.getMessage());
      }
      return false;
    } catch (RuntimeException e) {
      // It must not end this thread: nobody else would sync.
      if (!failed) {
        LOG.error("dataset '{}': the journal cannot be written, which is retried", name, e);
      }
      return false;
    }
  }

  /** Waits for entries, or until a sync is due; null if there is nothing left to do. */
  private @Nullable List<Queued> next() {
    lock.lock();
    try {
      long left = SYNC_INTERVAL.toNanos();
      while (queue.isEmpty() && !closed && (!dirty || left > 0)) {
        if (dirty) {
          left = changed.awaitNanos(left);
        } else {
          changed.awaitUninterruptibly();
          left = SYNC_INTERVAL.toNanos();
        }
      }
      if (queue.isEmpty() && !dirty) {
        return null;
      }
      List<Queued> next = new ArrayList<>(queue);
      queue.clear();
      dirty = false;
      return next;
    } catch (InterruptedException e) {
      // Only close() ends this thread.
      return List.of();
    } finally {
      lock.unlock();
    }
  }

  private void write(List<Queued> entries) {
    for (Queued queued : entries) {
      journal.append(queued.stamp(), queued.entry(), Durability.ORDERED);
    }
    journal.sync();
    long bytes = 0;
    for (Queued queued : entries) {
      bytes += queued.entry().length();
      release(queued.entry());
    }
    lock.lock();
    try {
      queuedBytes -= bytes;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns false if the journal is closed meanwhile. */
  private boolean pause() {
    lock.lock();
    try {
      long left = BEFORE_ANOTHER_TRY.toNanos();
      while (!closed && left > 0) {
        left = changed.awaitNanos(left);
      }
      return !closed;
    } catch (InterruptedException e) {
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Writes and syncs the queued entries, as far as the store permits. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    Thread running = background;
    if (running != null) {
      try {
        running.join(CLOSE_WAIT_MAX);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    long unwritten = queuedBytes();
    if (unwritten > 0) {
      LOG.error(
          "dataset '{}': closed with {} bytes of accepted entries that the journal did not take; they are lost",
          name,
          unwritten);
    }
  }
}
