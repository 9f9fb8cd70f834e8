package dev.varve.engine.blocks;

import dev.varve.layout.block.SampleColumn;
import dev.varve.model.TimeRange;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The samples in memory when a read began; later batches do not change it. For one thread; any
 * thread may close it.
 */
final class HeadView implements AutoCloseable {
  private final ReentrantLock lock;
  private final List<Head> seen;
  private final int batches;

  /** Guarded by the lock. */
  private boolean closed;

  /**
   * Creates a view. The caller holds the lock.
   *
   * @param lock guards the heads
   * @param seen heads in the order of acceptance; new batches enter the last one
   * @param batches number of batches of the last head that the view sees
   */
  HeadView(ReentrantLock lock, List<Head> seen, int batches) {
    this.lock = lock;
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
