package dev.varve.query.limit;

import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.QueryRefusedException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** Tracks the memory that one query holds, and that all queries hold together. Thread-safe. */
public final class Memory {
  /**
   * Memory shared by all queries of a server. One eighth is reserved for queries that hold little,
   * so that large queries, however many, do not make small ones fail.
   */
  public static final class Pool {
    private static final int KEPT = 8;

    /** A query that holds at most this fraction of the pool counts as small. */
    private static final int LITTLE = 128;

    private final long max;
    private final AtomicLong held = new AtomicLong();

    /**
     * Creates a pool.
     *
     * @param max maximum number of bytes
     */
    public Pool(long max) {
      this.max = max;
    }

    /** Returns the number of bytes that queries hold now. */
    public long held() {
      return held.get();
    }

    public long max() {
      return max;
    }

    /**
     * Holds bytes if there is room.
     *
     * @param ofQuery total bytes that the query then holds
     */
    private boolean tryHold(long bytes, long ofQuery) {
      boolean little = ofQuery <= max / LITTLE;
      return addWithin(little ? max : max - max / KEPT, held, bytes) >= 0;
    }
  }

  private final long max;
  private final @Nullable Pool pool;
  private final DoubleSupplier readShare;
  private final AtomicLong held = new AtomicLong();
  private final AtomicLong most = new AtomicLong();
  private volatile boolean refused;
  private volatile Runnable spare = () -> {};

  public Memory(long max) {
    this(max, null, () -> 0);
  }

  /**
   * Creates the account of a query.
   *
   * @param max maximum number of bytes that the query may hold
   * @param pool the pool shared with other queries; null for none
   * @param readShare the share of the query's reads that is done, from 0 to 1, for error messages
   */
  public Memory(long max, @Nullable Pool pool, DoubleSupplier readShare) {
    this.max = max;
    this.pool = pool;
    this.readShare = readShare;
  }

  /** Sets an action that releases recomputable data; it runs when memory is short. */
  public void whenShort(Runnable releasing) {
    spare = releasing;
  }

  /** Holds bytes if there is room. Returns whether they are held. */
  public boolean tryHold(long bytes) {
    if (tryOnce(bytes)) {
      return true;
    }
    spare.run();
    return tryOnce(bytes);
  }

  /** Like {@link #tryHold}, but only if the total of the query stays within a bound. */
  public boolean tryHoldWithin(long bound, long bytes) {
    if (held.get() + bytes > bound) {
      spare.run();
    }
    return held.get() + bytes <= bound && tryHold(bytes);
  }

  private boolean tryOnce(long bytes) {
    long now = addWithin(max, held, bytes);
    if (now < 0) {
      return false;
    }
    if (pool != null && !pool.tryHold(bytes, now)) {
      held.addAndGet(-bytes);
      return false;
    }
    if (now > most.get()) {
      most.accumulateAndGet(now, Math::max);
    }
    return true;
  }

  /**
   * Adds to a counter if the sum stays within a bound. An amount that does not fit is never added,
   * not even briefly, because that could make a smaller concurrent request fail.
   *
   * @return the sum; -1 if it would exceed the bound
   */
  private static long addWithin(long max, AtomicLong held, long bytes) {
    long before = held.get();
    while (bytes <= max - before) {
      long seen = held.compareAndExchange(before, before + bytes);
      if (seen == before) {
        return before + bytes;
      }
      before = seen;
    }
    return -1;
  }

  /**
   * Holds bytes.
   *
   * @param what what uses the memory and how to need less, for the error
   * @throws QueryRefusedException if the query would exceed its own limit
   * @throws OverloadedException if all queries together would exceed theirs
   */
  public void hold(long bytes, String what) {
    if (tryHold(bytes)) {
      return;
    }
    long wanted = held.get() + bytes;
    if (pool != null && wanted <= max) {
      throw new OverloadedException(
          "%s: it holds %s and needs %s more, but all queries together hold %s of at most %s; retry when others have ended"
              .formatted(
                  what,
                  size(held.get()),
                  size(bytes),
                  size(Math.min(pool.held(), pool.max())),
                  size(pool.max())),
          Duration.ofSeconds(5));
    }
    refused = true;
    throw new QueryLimitException(
        what
            + ": it needs more than the "
            + size(max)
            + " that a query may hold; it stopped at "
            + size(wanted)
            + ", with %.0f %% of its reads done".formatted(100 * readShare.getAsDouble()));
  }

  /** Releases bytes. */
  public void release(long bytes) {
    held.addAndGet(-bytes);
    if (pool != null) {
      pool.held.addAndGet(-bytes);
    }
  }

  /** Releases everything that is still held. Called at the end of the query. */
  public void releaseAll() {
    release(held.get());
  }

  /** Returns the number of bytes held now. */
  public long held() {
    return held.get();
  }

  /** Returns the peak number of bytes held. */
  public long most() {
    return most.get();
  }

  public long max() {
    return max;
  }

  /** Returns whether the query was rejected for exceeding its memory. */
  public boolean refused() {
    return refused;
  }

  public static String size(long bytes) {
    return bytes < 10L << 20 ? (bytes + 1023) / 1024 + " KiB" : (bytes >> 20) + " MiB";
  }
}
