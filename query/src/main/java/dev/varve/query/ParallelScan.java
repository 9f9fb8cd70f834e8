package dev.varve.query;

import dev.varve.engine.threads.Workers;
import dev.varve.query.limit.Memory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the series of a scan with several threads and passes on their results in series order.
 *
 * <p>The series are divided into parts. The thread of the query processes the parts in order. It
 * reads a part itself if no worker has started it, and passes on the results immediately; otherwise
 * it waits for the worker. Workers run only a few parts ahead, which bounds the memory for waiting
 * results. The query makes progress even if all workers are busy with other queries. At most {@code
 * readers} threads read. No worker is still reading when {@link #run} returns or throws.
 *
 * @param <T> the result for a series
 */
public final class ParallelScan<T> {
  /** Divisor of a query's memory: results of its workers may take at most this fraction. */
  private static final int SHARE_AHEAD = 8;

  /** Below this number of series, one thread is as fast. */
  private static final int SERIES_MIN = 64;

  private static final int SERIES_PER_PART_MAX = 256;

  /**
   * Maximum number of parts for each helper thread that are read before the consumer needs them.
   */
  private static final int PARTS_AHEAD = 2;

  /** Maximum number of bytes of waiting results. */
  private static final long BYTES_AHEAD = 8L << 20;

  /** Reads some of the series. */
  @FunctionalInterface
  public interface Reader<T> {
    /**
     * Reads a range of series.
     *
     * @param from index of the first series
     * @param to index after the last series
     * @return whether the scan goes on; if not, it ends with the results of this range
     */
    boolean read(int from, int to, Consumer<T> into);
  }

  private final int series;
  private final int helpers;
  private final long bytesAhead;
  private final Memory memory;
  private final int perPart;
  private final Runnable cancel;
  private final Reader<T> reader;
  private final Queue<Part> offered = new ConcurrentLinkedQueue<>();

  /** Number of workers that process the queue, or soon will. */
  private final AtomicInteger helping = new AtomicInteger();

  /**
   * Creates a scan.
   *
   * @param least desired minimum number of series per part. One thread reads everything if that is
   *     all series, or if the memory does not allow for a quarter of that number
   * @param readers maximum number of reading threads, including that of the query
   * @param bytes size of the result for one series; 0 if the caller bounds the memory itself
   * @param memory memory of the query, which includes waiting results; one thread reads if there is
   *     no room for them
   * @param cancel makes reads in progress fail soon
   */
  public ParallelScan(
      int series,
      int least,
      int readers,
      long bytes,
      Memory memory,
      Runnable cancel,
      Reader<T> reader) {
    long room = Math.min(BYTES_AHEAD, memory.max() / SHARE_AHEAD);
    long ahead = Math.max(1, room / Math.max(1, bytes));
    int most = Math.min(SERIES_PER_PART_MAX, series / (2 * Math.max(1, readers)));
    int affordable = (int) Math.min(Integer.MAX_VALUE, ahead / ((readers - 1L) * PARTS_AHEAD + 1));
    this.series = series;
    boolean worthIt = series >= SERIES_MIN && least < series && affordable >= atLeast(least);
    this.helpers = worthIt ? readers - 1 : 0;
    this.perPart = Math.clamp(Math.max(least, most), 1, Math.max(1, affordable));
    this.bytesAhead = bytes * perPart * (helpers * PARTS_AHEAD + 1);
    this.memory = memory;
    this.cancel = cancel;
    this.reader = reader;
  }

  /**
   * Returns the smallest acceptable part if memory is short and a part should have {@code least}
   * series.
   */
  private static int atLeast(int least) {
    return Math.max(1, least / 4);
  }

  /**
   * Reads all series, on the calling thread and on workers.
   *
   * @param sink receives the results in series order, on the calling thread
   * @return false if a reader ended the scan
   */
  public boolean run(Consumer<T> sink) {
    if (helpers < 1 || !memory.tryHold(bytesAhead)) {
      return reader.read(0, series, sink);
    }
    try {
      return runTogether(sink);
    } finally {
      memory.release(bytesAhead);
    }
  }

  private boolean runTogether(Consumer<T> sink) {
    Deque<Part> ahead = new ArrayDeque<>();
    int next = 0;
    boolean done = false;
    try {
      while (next < series || !ahead.isEmpty()) {
        while (next < series && ahead.size() <= helpers * PARTS_AHEAD) {
          Part part = new Part(next, Math.min(series, next + perPart));
          next = part.to;
          ahead.add(part);
          if (ahead.size() > 1) {
            offer(part);
          }
        }
        if (!ahead.element().handOn(sink)) {
          return false;
        }
        ahead.remove();
      }
      done = true;
      return true;
    } finally {
      if (!done) {
        end(ahead);
      }
    }
  }

  private void offer(Part part) {
    offered.add(part);
    int now = helping.get();
    if (now < helpers && helping.compareAndSet(now, now + 1)) {
      Workers.offer(this::help);
    }
  }

  /** Reads parts from the queue. Parts that no worker takes are read by the query's own thread. */
  private void help() {
    try {
      for (Part part = offered.poll(); part != null; part = offered.poll()) {
        part.run();
      }
    } finally {
      helping.decrementAndGet();
    }
  }

  /** Withdraws parts that have not started and waits for those that have. */
  private void end(Deque<Part> parts) {
    List<Part> begun = new ArrayList<>();
    for (Part part : parts) {
      if (!part.taken.compareAndSet(false, true)) {
        begun.add(part);
      }
    }
    cancel.run();
    begun.forEach(Part::await);
  }

  private final class Part {
    private final int from;
    private final int to;
    private final AtomicBoolean taken = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Written by the worker before it counts down {@code ended}, read afterwards. */
    private final List<T> made = new ArrayList<>();

    private boolean goesOn;
    private @Nullable Throwable failure;

    private Part(int from, int to) {
      this.from = from;
      this.to = to;
    }

    /** Reads the part on a worker, unless another thread has taken it. */
    private void run() {
      if (!taken.compareAndSet(false, true)) {
        return;
      }
      try {
        goesOn = reader.read(from, to, made::add);
      } catch (Throwable e) {
        failure = e;
      } finally {
        ended.countDown();
      }
    }

    /**
     * Passes on the results of the part, and reads it first unless a worker has taken it. Returns
     * whether the scan goes on.
     */
    private boolean handOn(Consumer<T> sink) {
      if (taken.compareAndSet(false, true)) {
        try {
          return reader.read(from, to, sink);
        } finally {
          ended.countDown();
        }
      }
      await();
      return switch (failure) {
        case null -> {
          made.forEach(sink);
          yield goesOn;
        }
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        default -> throw new IllegalStateException(failure);
      };
    }

    /** Waits for the worker. An interrupt cancels the reads; the interrupt status is restored. */
    private void await() {
      boolean interrupted = false;
      boolean waits = true;
      while (waits) {
        try {
          ended.await();
          waits = false;
        } catch (InterruptedException e) {
          interrupted = true;
          cancel.run();
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
