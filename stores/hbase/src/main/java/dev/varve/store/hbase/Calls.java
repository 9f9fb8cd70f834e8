package dev.varve.store.hbase;

import dev.varve.store.StoreException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Waits for HBase's answers. Nobody waits longer than a call may take, nor for a store that has
 * been closed.
 */
final class Calls {
  private final Duration atMost;

  /** What ends the waiting for each answer that is awaited, by numbers that tell them apart. */
  private final Map<Long, Runnable> awaited = new ConcurrentHashMap<>();

  private final AtomicLong numbers = new AtomicLong();
  private final LongAdder requests = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private volatile boolean closed;

  /** The client keeps its own time limits; this one is for where it would not. */
  Calls(Duration operationTimeout) {
    this.atMost = operationTimeout.plusSeconds(5);
  }

  void ensureOpen() {
    if (closed) {
      throw closedException();
    }
  }

  boolean isClosed() {
    return closed;
  }

  static StoreException closedException() {
    return new StoreException("the hbase store is closed");
  }

  /** How many requests failed; of many rows, how many of them. */
  long failures() {
    return failures.sum();
  }

  /** How many requests were waited for. */
  long count() {
    return requests.sum();
  }

  /** Notes a request whose answers are waited for row by row. */
  void countRequest() {
    requests.increment();
  }

  /**
   * Waits for the answer of a request.
   *
   * @throws StoreException if the store is closed
   */
  <T> T await(CompletableFuture<T> answer) throws FailedCallException {
    countRequest();
    return awaitPart(answer);
  }

  /** Likewise, for one of several answers of a request that was counted. */
  <T> T awaitPart(CompletableFuture<T> answer) throws FailedCallException {
    long number = numbers.incrementAndGet();
    if (!answer.isDone()) {
      awaited.put(number, () -> answer.completeExceptionally(closedException()));
    }
    try {
      if (closed) {
        answer.completeExceptionally(closedException());
      }
      return answer.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (closed) {
        throw closedException();
      }
      failures.increment();
      throw new FailedCallException(Failure.of(e));
    } catch (TimeoutException e) {
      failures.increment();
      throw new FailedCallException(Failure.of(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FailedCallException(Failure.of(new InterruptedIOException("interrupted")));
    } finally {
      awaited.remove(number);
    }
  }

  /** Likewise, where every failure is the caller's. */
  <T> T await(CompletableFuture<T> answer, String doing) {
    try {
      return await(answer);
    } catch (FailedCallException e) {
      throw e.failure().toException(doing);
    }
  }

  /** Ends all waiting; false where that was done before. */
  synchronized boolean close() {
    if (closed) {
      return false;
    }
    closed = true;
    awaited.values().forEach(Runnable::run);
    return true;
  }
}
