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
 * Waits for HBase's answers. No wait outlasts the timeout of a call, or the closing of the store.
 */
final class Calls {
  private final Duration atMost;

  /** Actions that end the wait for each awaited answer, by a unique number. */
  private final Map<Long, Runnable> awaited = new ConcurrentHashMap<>();

  private final AtomicLong numbers = new AtomicLong();
  private final LongAdder requests = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private volatile boolean closed;

  /** Creates a waiter. The client has its own timeouts; this one is a fallback. */
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

  /**
   * Returns the number of failed requests; of requests for many rows, the number of failed rows.
   */
  long failures() {
    return failures.sum();
  }

  /** Returns the number of requests. */
  long count() {
    return requests.sum();
  }

  /** Counts a request whose answers are awaited row by row. */
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

  /** Waits for one of several answers of a request that has already been counted. */
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

  /** Waits for the answer of a request, and converts every failure for the caller. */
  <T> T await(CompletableFuture<T> answer, String doing) {
    try {
      return await(answer);
    } catch (FailedCallException e) {
      throw e.failure().toException(doing);
    }
  }

  /** Ends all waits; returns false if already closed. */
  synchronized boolean close() {
    if (closed) {
      return false;
    }
    closed = true;
    awaited.values().forEach(Runnable::run);
    return true;
  }
}
