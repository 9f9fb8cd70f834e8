package dev.varve.store.bigtable;

import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Counts the calls in progress. Once the store is closed, new calls fail, and the store waits for
 * those in progress.
 */
final class Usage {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition nobody = lock.newCondition();
  private final String store;
  private int users;
  private volatile boolean closed;

  Usage(String store) {
    this.store = store;
  }

  void ensureOpen() {
    if (closed) {
      throw new StoreException(store + " is closed");
    }
  }

  boolean isClosed() {
    return closed;
  }

  void enter() {
    lock.lock();
    try {
      ensureOpen();
      users++;
    } finally {
      lock.unlock();
    }
  }

  void leave() {
    lock.lock();
    try {
      users--;
      if (users == 0) {
        nobody.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Makes all later calls fail; returns whether this is the first call of this method. */
  boolean close() {
    lock.lock();
    try {
      boolean first = !closed;
      closed = true;
      return first;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until no call is in progress, for at most the given time. */
  void awaitNobody(Duration atMost) {
    lock.lock();
    try {
      long left = atMost.toNanos();
      while (users > 0 && left > 0) {
        left = nobody.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }
}
