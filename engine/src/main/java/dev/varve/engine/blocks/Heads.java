package dev.varve.engine.blocks;

import dev.varve.engine.blocks.HeadPair.Full;
import dev.varve.engine.error.OverloadedException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets writers, the sealer and readers share the heads of a period, which hold the samples that are
 * not in blocks yet. Safe for use by several threads.
 *
 * <p>A batch takes a {@link Turn}, is written to the journal, and enters the head when all batches
 * with lower stamps have.
 */
final class Heads {
  /** Time a batch waits for room in the head. */
  private static final Duration ROOM_TIMEOUT = Duration.ofSeconds(1);

  private final String name;
  private final LongSupplier stamps;

  /** Bytes at which a head is sealed. */
  private final long headMax;

  /** Guards all fields below. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled if a batch had its turn or a head was sealed. */
  private final Condition changed = lock.newCondition();

  /** Signalled if there is work for the sealer. */
  private final Condition due = lock.newCondition();

  private final HeadPair heads;

  /** The ticket of the next batch. */
  private long tickets;

  /** The ticket whose batch enters next. */
  private long turn;

  /** Batches up to this stamp are to be sealed although no head is full. */
  private long sealThrough = Long.MIN_VALUE;

  /** Bytes of all journal entries since the start. */
  private long appended;

  private boolean closed;

  /**
   * @param name of the dataset, for messages
   * @param stamps source of stamps that rise from batch to batch
   * @param headMax bytes at which a head is sealed; two heads may be in memory
   * @param journalMax bytes of journal entries at which a head is sealed
   */
  Heads(String name, LongSupplier stamps, long headMax, long journalMax) {
    this.name = name;
    this.stamps = stamps;
    this.headMax = headMax;
    this.heads = new HeadPair(headMax, journalMax);
  }

  /** The place of a batch among all batches. */
  record Turn(long ticket, long stamp) {}

  /**
   * Waits for room, and gives a batch its place. It must be {@linkplain #enter entered} or
   * {@linkplain #skip skipped}.
   *
   * @throws OverloadedException if there is no room in time
   */
  Turn takeTurn() {
    // A stamp may have to raise the mark of the clock, which takes as long as the store does. This
    // one does that without the lock, so that the next one seldom has to.
    var _ = stamps.getAsLong();
    lock.lock();
    try {
      awaitRoom();
      // Before the ticket: every ticket must be used, or all later batches wait for it.
      long stamp = stamps.getAsLong();
      return new Turn(tickets++, stamp);
    } finally {
      lock.unlock();
    }
  }

  private void awaitRoom() {
    long left = ROOM_TIMEOUT.toNanos();
    try {
      while (heads.isFull() && heads.sealing() != null) {
        if (left <= 0) {
          throw new OverloadedException(
              "dataset '%s': %,d bytes of samples wait to be sealed into blocks, the limit is %,d: try again"
                  .formatted(name, heads.bytes(), 2 * headMax),
              ROOM_TIMEOUT);
        }
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OverloadedException("interrupted while waiting for room to write", ROOM_TIMEOUT);
    }
  }

  /** Adds a batch after all batches with lower stamps. */
  void enter(Turn of, ColumnBatch batch, int entryLength) {
    lock.lock();
    try {
      await(of);
      try {
        heads.add(of.stamp(), batch, entryLength);
        appended += entryLength;
        // Here rather than by the sealer, which may take long to wake up: heads have limits.
        if (heads.sealing() == null && heads.isFull()) {
          heads.beginSealing();
          due.signal();
        }
      } finally {
        end();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Releases the place of a batch that was not written. */
  void skip(Turn of) {
    lock.lock();
    try {
      await(of);
      heads.skip(of.stamp());
      end();
    } finally {
      lock.unlock();
    }
  }

  private void await(Turn of) {
    while (turn != of.ticket()) {
      changed.awaitUninterruptibly();
    }
  }

  private void end() {
    turn++;
    changed.signalAll();
  }

  /**
   * Adds a batch from the journal, when nobody else writes.
   *
   * @return the head if it is full and has to be sealed now; null if it is not
   */
  @Nullable Full replay(long stamp, ColumnBatch batch, int entryLength) {
    lock.lock();
    try {
      heads.add(stamp, batch, entryLength);
      return heads.isFull() ? heads.beginSealing() : null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the next head to seal, or one whose sealing failed; null if there is none within the
   * timeout, or the heads are closed.
   *
   * @param timeout maximum time to wait
   */
  @Nullable Full awaitFull(Duration timeout) {
    lock.lock();
    try {
      long left = timeout.toNanos();
      while (heads.sealing() == null && !closed) {
        if (heads.isFull() || heads.isOld() || heads.isUnsealed(sealThrough)) {
          return heads.beginSealing();
        }
        if (left <= 0) {
          return null;
        }
        left = due.awaitNanos(left);
      }
      return closed ? null : heads.sealing();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns a head that is left to be sealed after the heads were closed; null if there is none.
   */
  @Nullable Full rest() {
    lock.lock();
    try {
      Full sealing = heads.sealing();
      if (sealing != null) {
        return sealing;
      }
      return heads.isUnsealed(Long.MAX_VALUE) ? heads.beginSealing() : null;
    } finally {
      lock.unlock();
    }
  }

  /** Drops a head whose samples are in blocks now. */
  void drop(Full full) {
    lock.lock();
    try {
      heads.drop(full);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all samples accepted before are in blocks, or the heads are closed. */
  void seal() {
    lock.lock();
    try {
      long through = heads.lastStamp();
      while (!closed && heads.isUnsealed(through)) {
        requestSeal(through);
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until all samples accepted before are in blocks, the heads are closed, or the time is
   * over. A failed seal is retried without limit.
   *
   * @return whether all of them are in blocks
   */
  boolean seal(Duration most) {
    lock.lock();
    try {
      long through = heads.lastStamp();
      long left = most.toNanos();
      while (!closed && heads.isUnsealed(through) && left > 0) {
        requestSeal(through);
        left = changed.awaitNanos(left);
      }
      return !heads.isUnsealed(through);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Requests that all samples accepted before are sealed, without waiting. */
  void requestSeal() {
    lock.lock();
    try {
      requestSeal(heads.lastStamp());
    } finally {
      lock.unlock();
    }
  }

  private void requestSeal(long through) {
    sealThrough = Math.max(sealThrough, through);
    due.signal();
  }

  /** Returns whether a head is being sealed or is about to be. */
  boolean isSealing() {
    lock.lock();
    try {
      return heads.isUnsealed(sealThrough);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the bytes of all journal entries since the start. */
  long appendedBytes() {
    lock.lock();
    try {
      return appended;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for some time, or until the heads are closed.
   *
   * @throws InterruptedException if the thread is interrupted
   */
  void pause(Duration time) throws InterruptedException {
    lock.lock();
    try {
      long left = time.toNanos();
      while (!closed && left > 0) {
        left = due.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Ends all waits for seals. Called when nobody writes any more. */
  void close() {
    lock.lock();
    try {
      closed = true;
      due.signal();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Passes the numbers of all series that have samples in memory, some of them twice. */
  void forEach(IntConsumer action) {
    lock.lock();
    try {
      heads.heads().forEach(one -> one.forEach(action::accept));
    } finally {
      lock.unlock();
    }
  }

  /** Adds metrics by name. */
  void addFigures(Map<String, Double> figures) {
    lock.lock();
    try {
      heads.addFigures(figures);
    } finally {
      lock.unlock();
    }
  }

  /** Frees memory that is kept for the next heads. */
  void trim() {
    lock.lock();
    try {
      heads.trim();
    } finally {
      lock.unlock();
    }
  }

  /** Returns a view of all samples accepted so far; later batches do not change it. */
  HeadView view() {
    lock.lock();
    try {
      return new HeadView(lock, heads.heads(), heads.batches());
    } finally {
      lock.unlock();
    }
  }
}
