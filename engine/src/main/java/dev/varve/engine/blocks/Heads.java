package dev.varve.engine.blocks;

import dev.varve.engine.error.OverloadedException;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.TimeRange;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The samples of a period that are not in blocks: the head, which new batches enter, and a full
 * head, while it is sealed. Safe for use by several threads.
 *
 * <p>A batch takes a {@link Turn}, is written to the journal, and enters the head when all batches
 * with lower stamps have.
 */
final class Heads {
  /** Age at which a head is sealed even if it is not full. */
  private static final Duration AGE_MAX = Duration.ofHours(2);

  /** Bytes and samples per series from which a head is sealed before it reaches its limit. */
  private static final long GOOD_BYTES = 32L << 20;

  private static final long GOOD_SAMPLES = 256;

  /** Time a batch waits for room in the head. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final String name;
  private final LongSupplier stamps;

  /** Bytes at which a head is sealed. */
  private final long headMax;

  /** Bytes of journal entries at which a head is sealed. */
  private final long journalMax;

  /** Guards all fields below. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled if a batch had its turn or a head was sealed. */
  private final Condition changed = lock.newCondition();

  /** Signalled if there is work for the sealer. */
  private final Condition due = lock.newCondition();

  private final HeadPages pages;

  private Head head;

  /** When the first sample of the head was accepted; meaningless while it is empty. */
  private long headSince = System.nanoTime();

  /** Bytes of the journal entries of the head. */
  private long headEntries;

  private @Nullable Full sealing;

  private long tickets;
  private long turn;

  /** The last stamp of the last sealed head. */
  private long sealedThrough = Long.MIN_VALUE;

  /** The stamp of the last batch that had its turn. */
  private long lastStamp = Long.MIN_VALUE;

  private boolean sealRequested;

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
    this.journalMax = journalMax;
    this.pages = new HeadPages(Math.min(headMax, 2 * GOOD_BYTES));
    this.head = new Head(pages);
  }

  /**
   * A head that is to be sealed.
   *
   * @param through the stamp of its last batch
   * @param entries bytes of its journal entries
   */
  record Full(Head head, long through, long entries) {}

  /** The place of a batch among all batches. */
  record Turn(long ticket, long stamp) {}

  /**
   * Waits for room, and gives a batch its place. It must be {@linkplain #enter entered} or
   * {@linkplain #skip skipped}.
   *
   * @throws OverloadedException if there is no room in time
   */
  Turn takeTurn() {
    lock.lock();
    try {
      awaitRoom();
      return new Turn(tickets++, stamps.getAsLong());
    } finally {
      lock.unlock();
    }
  }

  private void awaitRoom() {
    long left = PATIENCE.toNanos();
    try {
      while (isFull() && sealing != null) {
        if (left <= 0) {
          throw new OverloadedException(
              "dataset '%s': %,d bytes of samples wait to be sealed into blocks, the limit is %,d: try again"
                  .formatted(name, head.bytes() + sealing.head().bytes(), 2 * headMax),
              PATIENCE);
        }
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OverloadedException("interrupted while waiting for room to write", PATIENCE);
    }
  }

  /** Adds a batch after all batches with lower stamps. */
  void enter(Turn of, ColumnBatch batch, int entryLength) {
    lock.lock();
    try {
      await(of);
      add(of.stamp(), batch, entryLength);
      appended += entryLength;
      // Here rather than by the sealer, which may take long to wake up: heads have limits.
      if (sealing == null && isFull()) {
        beginSealing();
        due.signal();
      }
      end();
    } finally {
      lock.unlock();
    }
  }

  /** Gives up the place of a batch that was not written. */
  void skip(Turn of) {
    lock.lock();
    try {
      await(of);
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

  private void add(long stamp, ColumnBatch batch, int entryLength) {
    headSince = head.isEmpty() ? System.nanoTime() : headSince;
    head.add(batch);
    headEntries += entryLength;
    lastStamp = stamp;
  }

  /**
   * Adds a batch from the journal, when nobody else writes.
   *
   * @return the head if it is full and has to be sealed now; null otherwise
   */
  @Nullable Full replay(long stamp, ColumnBatch batch, int entryLength) {
    lock.lock();
    try {
      add(stamp, batch, entryLength);
      return isFull() ? beginSealing() : null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether the head is to be sealed: it or its journal has reached a limit, or it is large
   * and its series have enough samples for good blocks.
   */
  private boolean isFull() {
    return head.bytes() > headMax
        || head.isFull()
        || headEntries > journalMax
        || (head.bytes() > GOOD_BYTES && head.samples() > GOOD_SAMPLES * head.series());
  }

  private Full beginSealing() {
    Full full = new Full(head, lastStamp, headEntries);
    sealing = full;
    head = new Head(pages);
    headEntries = 0;
    sealRequested = false;
    return full;
  }

  /**
   * Returns the next head to seal, or one whose sealing failed; null if there is none within some
   * time, or nobody writes any more.
   *
   * @param patience how long to wait at most
   */
  @Nullable Full awaitFull(Duration patience) {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (sealing == null && !closed) {
        long age = System.nanoTime() - headSince;
        if (isFull() || (!head.isEmpty() && (sealRequested || age >= AGE_MAX.toNanos()))) {
          return beginSealing();
        }
        if (left <= 0) {
          return null;
        }
        left = due.awaitNanos(left);
      }
      return closed ? null : sealing;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } finally {
      lock.unlock();
    }
  }

  /** Returns what is left to be sealed when nobody writes any more; null if there is nothing. */
  @Nullable Full rest() {
    lock.lock();
    try {
      if (sealing != null) {
        return sealing;
      }
      return head.isEmpty() ? null : beginSealing();
    } finally {
      lock.unlock();
    }
  }

  /** Drops a head whose samples are in blocks now. */
  void drop(Full full) {
    lock.lock();
    try {
      sealing = null;
      full.head().drop();
      sealedThrough = full.through();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all samples accepted before are in blocks, or nobody writes any more. */
  void seal() {
    lock.lock();
    try {
      long through = lastStamp;
      while (!closed && isUnsealed(through)) {
        sealRequested = true;
        due.signal();
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until all samples accepted before are in blocks, nobody writes any more, or the time is
   * over. A failed seal is retried without limit.
   *
   * @return whether all of them are in blocks
   */
  boolean seal(Duration most) {
    lock.lock();
    try {
      long through = lastStamp;
      long left = most.toNanos();
      while (!closed && isUnsealed(through) && left > 0) {
        sealRequested = true;
        due.signal();
        left = changed.awaitNanos(left);
      }
      return !isUnsealed(through);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  private boolean isUnsealed(long through) {
    return sealing != null || (!head.isEmpty() && sealedThrough < through);
  }

  /** Asks for the head to be sealed, without waiting. */
  void requestSeal() {
    lock.lock();
    try {
      sealRequested |= !head.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether a head is being sealed or is about to be. */
  boolean isSealing() {
    lock.lock();
    try {
      return sealing != null || sealRequested;
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
   * Waits for some time, or until nobody writes any more.
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

  /** Ends all waiting for seals. */
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
      present().forEach(one -> one.forEach(action::accept));
    } finally {
      lock.unlock();
    }
  }

  private List<Head> present() {
    return sealing == null ? List.of(head) : List.of(sealing.head(), head);
  }

  /** Adds metrics by name. */
  void addFigures(Map<String, Double> figures) {
    lock.lock();
    try {
      long bytes = 0;
      long samples = 0;
      for (Head one : present()) {
        bytes += one.bytes();
        samples += one.samples();
      }
      figures.put("head_bytes", (double) bytes);
      figures.put("head_samples", (double) samples);
      figures.put("head_age_seconds", head.isEmpty() ? 0 : (System.nanoTime() - headSince) / 1e9);
      figures.put(
          "journal_bytes", (double) headEntries + (sealing == null ? 0 : sealing.entries()));
    } finally {
      lock.unlock();
    }
  }

  /** Frees memory that is kept for the next heads. */
  void trim() {
    lock.lock();
    try {
      pages.clear();
    } finally {
      lock.unlock();
    }
  }

  /** Returns a view of all samples accepted so far; later batches do not change it. */
  View view() {
    lock.lock();
    try {
      return new View(present(), head.batches());
    } finally {
      lock.unlock();
    }
  }

  /** What a read sees. For one thread; any thread may close it. */
  final class View implements AutoCloseable {
    private final List<Head> seen;
    private final int batches;
    private boolean closed;

    /** Called with the lock held. */
    private View(List<Head> seen, int batches) {
      this.seen = seen;
      this.batches = batches;
      seen.forEach(Head::view);
    }

    /**
     * Adds samples of a series, in the order of acceptance.
     *
     * @throws IllegalStateException if the view is closed
     */
    void read(int series, TimeRange times, SampleColumn into) {
      lock.lock();
      try {
        if (closed) {
          throw new IllegalStateException("the view of the head is closed");
        }
        for (Head one : seen) {
          boolean last = one == seen.getLast();
          int visible = last ? batches : Integer.MAX_VALUE;
          one.read(series, visible, times.from(), times.to(), into);
        }
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      lock.lock();
      try {
        if (!closed) {
          closed = true;
          seen.forEach(Head::leave);
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
