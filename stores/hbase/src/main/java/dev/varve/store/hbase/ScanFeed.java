package dev.varve.store.hbase;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;

/**
 * Hands the results of a scan to one thread. The scan continues when a result is taken. From the
 * second answer on, one more is fetched while another is read, and never more than one.
 */
final class ScanFeed implements AdvancedScanResultConsumer {
  /** Guards all fields; the client's threads deliver under it and never wait long. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private final ArrayDeque<Result[]> answers = new ArrayDeque<>();
  private @Nullable ScanResumer suspended;
  private @Nullable Throwable error;
  private boolean complete;
  private boolean stopped;
  private long requests = 1;
  private int taken;

  @Override
  public void onNext(Result[] results, ScanController controller) {
    lock.lock();
    try {
      if (stopped) {
        controller.terminate();
        return;
      }
      answers.add(results);
      suspended = controller.suspend();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onHeartbeat(ScanController controller) {
    lock.lock();
    try {
      requests++;
      if (stopped) {
        controller.terminate();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onError(Throwable cause) {
    lock.lock();
    try {
      error = cause;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onComplete() {
    lock.lock();
    try {
      complete = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes the next answer, waiting for it if necessary.
   *
   * @return null at the end, or if the feed was stopped
   */
  Result @Nullable [] take() throws FailedCallException, InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!stopped) {
        Result[] answer = answers.poll();
        if (answer != null) {
          taken++;
          if (taken > 1) {
            goOn();
          }
          return answer;
        }
        if (error != null) {
          throw new FailedCallException(Failure.of(error));
        }
        if (complete) {
          return null;
        }
        if (!goOn()) {
          changed.await();
        }
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  /** Resumes a suspended scan; false if there is none. */
  private boolean goOn() {
    ScanResumer resumer = suspended;
    if (resumer == null) {
      return false;
    }
    suspended = null;
    requests++;
    resumer.resume();
    return true;
  }

  /** Returns the number of requests that the scan has made. */
  long requests() {
    lock.lock();
    try {
      return requests;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the scan, from any thread, and wakes the waiting thread. */
  void stop() {
    lock.lock();
    try {
      stopped = true;
      answers.clear();
      changed.signalAll();
      // A suspended scan can only be ended by its next event.
      goOn();
    } finally {
      lock.unlock();
    }
  }
}
