package dev.varve.engine;

import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Holds the first read of one thread that has just read cells, until it is released. */
final class HeldReads {
  private final Predicate<Thread> who;
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private volatile boolean armed;

  HeldReads(Predicate<Thread> who) {
    this.who = who;
  }

  /** Holds the next read. */
  void arm() {
    armed = true;
  }

  /** Waits until a read is held. */
  boolean await() throws InterruptedException {
    return reached.await(20, TimeUnit.SECONDS);
  }

  void release() {
    released.countDown();
  }

  boolean isReleased() {
    return released.getCount() == 0;
  }

  CellCursor around(CellCursor cursor) {
    return new CursorAround(cursor) {
      @Override
      public boolean next(CellBatch into) {
        boolean any = super.next(into);
        if (any && armed && who.test(Thread.currentThread())) {
          armed = false;
          hold();
        }
        return any;
      }
    };
  }

  private void hold() {
    reached.countDown();
    try {
      released.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
