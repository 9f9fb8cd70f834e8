package dev.varve.query;

import dev.varve.engine.Workers;
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
 * Reads the series of a scan by several threads and hands on what they make of them in the order of
 * the series.
 *
 * <p>The series are cut into parts. The thread of the query goes through them in their order: a
 * part that nobody has begun it reads itself, and hands on what comes of it at once; for one that a
 * worker has begun it waits. Workers are only ever some parts ahead, so that what waits stays
 * small, and the query gets on also where every worker is busy with other queries. No more threads
 * read than there are readers. However it ends, no worker is left behind.
 *
 * @param <T> what becomes of a series
 */
public final class ParallelScan<T> {
  /**
   * What one query may hold of what its workers have made, however much memory it may hold: a part
   * of it.
   */
  private static final int SHARE_AHEAD = 8;

  /** Below so many series one thread is as fast. */
  private static final int SERIES_MIN = 64;

  private static final int SERIES_PER_PART_MAX = 128;

  /** How far ahead workers are, in parts for each of them. */
  private static final int PARTS_AHEAD = 2;

  /** How much memory what waits may take at most. */
  private static final long BYTES_AHEAD = 8L << 20;

  /** Reads some of the series. */
  @FunctionalInterface
  public interface Reader<T> {
    /**
     * Reads.
     *
     * @param from the place of the first series
     * @param to behind the last
     */
    void read(int from, int to, Consumer<T> into);
  }

  private final int series;
  private final int helpers;
  private final long bytesAhead;
  private final Memory memory;
  private final int perPart;
  private final Runnable cancel;
  private final Reader<T> reader;
  private final Queue<Part> offered = new ConcurrentLinkedQueue<>();

  /** How many workers go through what is offered, or soon will. */
  private final AtomicInteger helping = new AtomicInteger();

  /**
   * A scan.
   *
   * @param least how many series a part should have at least; one thread reads all where that is
   *     all of them, or what becomes of a quarter of so many may not wait
   * @param readers how many threads may read at once, the one of the query among them
   * @param bytes that what becomes of one series takes; 0 where somebody else bounds what is held
   * @param memory of the query, in which what waits counts; where it has no room one thread reads
   * @param cancel makes reads under way fail soon
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
    int most = Math.min(SERIES_PER_PART_MAX, series / (4 * Math.max(1, readers)));
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

  /** Of how many series a part may be for lack of room, where it should have so many. */
  private static int atLeast(int least) {
    return Math.max(1, least / 4);
  }

  /**
   * Reads all of them, on the thread that calls and on others.
   *
   * @param sink takes what becomes of each, in the order of the series, on the thread that calls
   */
  public void run(Consumer<T> sink) {
    if (helpers < 1 || !memory.tryHold(bytesAhead)) {
      reader.read(0, series, sink);
      return;
    }
    try {
      runTogether(sink);
    } finally {
      memory.release(bytesAhead);
    }
  }

  private void runTogether(Consumer<T> sink) {
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
        ahead.element().handOn(sink);
        ahead.remove();
      }
      done = true;
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

  /** Reads what is offered. What comes too late for a worker the query's own thread reads. */
  private void help() {
    try {
      for (Part part = offered.poll(); part != null; part = offered.poll()) {
        part.run();
      }
    } finally {
      helping.decrementAndGet();
    }
  }

  /** Takes back what has not begun and waits for what has. */
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

    /** Written by the worker before the end is told, read behind it. */
    private final List<T> made = new ArrayList<>();

    private @Nullable Throwable failure;

    private Part(int from, int to) {
      this.from = from;
      this.to = to;
    }

    /** Reads the part, by a worker, if nobody else does. */
    private void run() {
      if (!taken.compareAndSet(false, true)) {
        return;
      }
      try {
        reader.read(from, to, made::add);
      } catch (Throwable e) {
        failure = e;
      } finally {
        ended.countDown();
      }
    }

    /** Hands on what becomes of its series, which are read now unless a worker does. */
    private void handOn(Consumer<T> sink) {
      if (taken.compareAndSet(false, true)) {
        try {
          reader.read(from, to, sink);
        } finally {
          ended.countDown();
        }
        return;
      }
      await();
      switch (failure) {
        case null -> made.forEach(sink);
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        default -> throw new IllegalStateException(failure);
      }
    }

    /** Waits for the worker; an interruption makes it end, and is still there afterwards. */
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
