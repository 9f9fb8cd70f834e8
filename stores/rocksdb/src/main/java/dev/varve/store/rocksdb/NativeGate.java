package dev.varve.store.rocksdb;

import dev.varve.store.StoreException;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import org.rocksdb.RocksDBException;

/**
 * The gate for all reading calls into RocksDB. It keeps these calls off virtual threads, whose
 * carriers they would pin, and away from a closed database, where they would crash the process.
 */
final class NativeGate {
  /** A call into RocksDB. */
  interface Call<T> {
    T run() throws RocksDBException;
  }

  /** Read-locked by calls in progress; write-locked by whatever closes the database. */
  private final ReadWriteLock underWay = new ReentrantReadWriteLock();

  private final AtomicBoolean closed = new AtomicBoolean();
  private final ThreadPoolExecutor threads;
  private final Function<RocksDBException, StoreException> failures;

  /**
   * Creates an open gate.
   *
   * @param failures translates RocksDB's exceptions for callers
   */
  NativeGate(int threadCount, Function<RocksDBException, StoreException> failures) {
    this.failures = failures;
    threads =
        new ThreadPoolExecutor(
            threadCount,
            threadCount,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().name("rocksdb-reader-", 0).daemon().factory());
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Throws if the gate is closed. Long calls check from time to time, so that they stop soon after.
   */
  void ensureOpen() {
    if (closed.get()) {
      throw closedException();
    }
  }

  private static StoreException closedException() {
    return new StoreException("the rocksdb store is closed");
  }

  /** Runs a call on a platform thread and waits for it. */
  <T> T call(Call<T> call) {
    return Thread.currentThread().isVirtual() ? await(queue(call)) : pass(call);
  }

  /** Runs a call on this thread; the database stays open meanwhile. */
  <T> T pass(Call<T> call) {
    underWay.readLock().lock();
    try {
      ensureOpen();
      return call.run();
    } catch (RocksDBException e) {
      throw failures.apply(e);
    } finally {
      underWay.readLock().unlock();
    }
  }

  /** Queues a call for a platform thread. */
  <T> FutureTask<T> queue(Call<T> call) {
    return enqueue(() -> pass(call));
  }

  private <T> FutureTask<T> enqueue(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      throw closedException();
    }
    return task;
  }

  /** Withdraws a queued call that has not begun; {@link #await} then throws a cancellation. */
  void withdraw(FutureTask<?> task) {
    if (threads.remove(task)) {
      task.cancel(false);
    }
  }

  /**
   * Waits for the end of a queued call, even if interrupted: a call in progress must not outlive
   * the buffers that it fills.
   *
   * @throws CancellationException if the call was withdrawn
   */
  static <T> T await(FutureTask<T> task) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          throw cause(e);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static RuntimeException cause(ExecutionException e) {
    return switch (e.getCause()) {
      case Error error -> throw error;
      case RuntimeException known -> known;
      case null, default -> new StoreException("rocksdb: " + e.getCause(), e.getCause());
    };
  }

  /** Runs an action that frees native memory; does nothing if closing the database has freed it. */
  void free(Runnable free) {
    if (closed.get()) {
      return;
    }
    if (!Thread.currentThread().isVirtual()) {
      freeUnlessClosed(free);
      return;
    }
    FutureTask<Boolean> task;
    try {
      task = enqueue(() -> freeUnlessClosed(free));
    } catch (StoreException e) {
      // Closed in the meantime.
      return;
    }
    await(task);
  }

  private boolean freeUnlessClosed(Runnable free) {
    underWay.readLock().lock();
    try {
      if (!closed.get()) {
        free.run();
      }
      return true;
    } finally {
      underWay.readLock().unlock();
    }
  }

  /**
   * Rejects calls from now on, waits for those in progress, and then runs {@code last}, which
   * closes the database, on a platform thread. Does nothing if the gate is already closed.
   */
  void close(Runnable last) {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    FutureTask<Boolean> task =
        new FutureTask<>(() -> {
          underWay.writeLock().lock();
          try {
            last.run();
            return true;
          } finally {
            underWay.writeLock().unlock();
          }
        });
    Thread.ofPlatform().name("rocksdb-close").start(task);
    await(task);
    threads.shutdown();
  }
}
