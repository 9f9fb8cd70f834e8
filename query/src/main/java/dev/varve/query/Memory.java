package dev.varve.query;

import dev.varve.engine.OverloadedException;
import dev.varve.engine.QueryRefusedException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts what one query holds, and what all of them hold together. Safe for use by several threads.
 */
public final class Memory {
  /**
   * What all queries of a server may hold together. An eighth is kept for queries that hold little,
   * so that those that hold much, however many, do not make them fail.
   */
  public static final class Pool {
    private static final int KEPT = 8;

    /** A query that holds this part of the pool, or less, holds little. */
    private static final int LITTLE = 128;

    private final long max;
    private final AtomicLong held = new AtomicLong();

    /**
     * @param max in bytes
     */
    public Pool(long max) {
      this.max = max;
    }

    /** Bytes that queries hold now. */
    public long held() {
      return held.get();
    }

    public long max() {
      return max;
    }

    /**
     * @param ofQuery what the query holds with these bytes
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
   * @param max what the query may hold, in bytes
   * @param pool what it shares with others
   * @param readShare how much of what the query reads it has read, from 0 to 1, for refusals
   */
  public Memory(long max, @Nullable Pool pool, DoubleSupplier readShare) {
    this.max = max;
    this.pool = pool;
    this.readShare = readShare;
  }

  /** Says what releases something that is held and could be had again, where there is no room. */
  void whenShort(Runnable releasing) {
    spare = releasing;
  }

  /** Whether so much more may be held; if so it counts as held. */
  public boolean tryHold(long bytes) {
    if (tryOnce(bytes)) {
      return true;
    }
    spare.run();
    return tryOnce(bytes);
  }

  /** The same, as long as all that the query holds stays within a bound. */
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
   * Adds where the sum stays within a bound. What does not fit is never counted, not for a moment:
   * it would make something smaller beside it fail.
   *
   * @return the sum; -1 where it would be more
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
   * Counts so much more as held.
   *
   * @param what holds it and what would help, for the refusal
   * @throws QueryRefusedException if the query would hold more than it may
   * @throws OverloadedException if all queries together would
   */
  public void hold(long bytes, String what) {
    if (tryHold(bytes)) {
      return;
    }
    long wanted = held.get() + bytes;
    if (pool != null && wanted <= max) {
      throw new OverloadedException(
          "%s: it holds %s and needs %s more, but all queries together hold %s of the %s that they may; ask again when others have ended"
              .formatted(
                  what,
                  size(held.get()),
                  size(bytes),
                  size(Math.min(pool.held(), pool.max())),
                  size(pool.max())),
          Duration.ofSeconds(5));
    }
    refused = true;
    throw new QueryRefusedException(
        what
            + ": it needs more than the "
            + size(max)
            + " that a query may hold; it stopped at "
            + size(wanted)
            + ", with %.0f %% of its reads done".formatted(100 * readShare.getAsDouble()));
  }

  /** Counts so much less. */
  public void release(long bytes) {
    held.addAndGet(-bytes);
    if (pool != null) {
      pool.held.addAndGet(-bytes);
    }
  }

  /** Counts nothing any more; when the query is over, and whatever it has forgotten to release. */
  public void releaseAll() {
    release(held.get());
  }

  /** Bytes that are held now. */
  public long held() {
    return held.get();
  }

  /** The most bytes that were held at once. */
  public long most() {
    return most.get();
  }

  public long max() {
    return max;
  }

  /** Whether a query was refused for what it would have held. */
  public boolean refused() {
    return refused;
  }

  static String size(long bytes) {
    return bytes < 10L << 20 ? (bytes + 1023) / 1024 + " KiB" : (bytes >> 20) + " MiB";
  }
}
