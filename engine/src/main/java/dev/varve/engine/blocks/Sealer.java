package dev.varve.engine.blocks;

import dev.varve.engine.blocks.HeadPair.Full;
import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that turns full heads into blocks. While there is none, it merges blocks, drops
 * expired buckets, and tidies a period that has become quiet: its head is sealed, its rows are
 * merged and space is reclaimed.
 */
final class Sealer {
  private static final Logger LOG = LoggerFactory.getLogger(Sealer.class);

  /** Interval at which the sealer looks for expired buckets and for quiet. */
  private static final Duration IDLE = Duration.ofSeconds(10);

  /** Bytes of journal entries in that time below which a period counts as quiet. */
  private static final long QUIET_BYTES = 1 << 20;

  /** Bytes of journal entries whose space is worth reclaiming. */
  private static final long RECLAIMED_MIN = 4 << 20;

  private static final Duration BEFORE_ANOTHER_TRY = Duration.ofSeconds(5);

  /** Time that a stop waits for the thread. */
  private static final long STOP_SECONDS = 60;

  private final String name;
  private final Heads heads;
  private final BlockTable blocks;
  private final Journal journal;
  private final LatestInBlocks latest;
  private final LongSupplier oldestKept;
  private final LongAdder sealedSamples = new LongAdder();
  private final LongAdder seals = new LongAdder();

  /**
   * Held while blocks are replaced or dropped, so that nobody replaces blocks that have changed
   * meanwhile.
   */
  private final ReentrantLock rewriting = new ReentrantLock();

  /** Number of deletes whose samples may be in blocks. Guarded by {@link #rewriting}. */
  private int pendingDeletes;

  /** Bytes of journal entries at the last check for quiet, and the time of that check. */
  private long seenAppended;

  private long seenAt = System.nanoTime();
  private boolean quiet;

  /** Bytes of journal entries when space was last reclaimed. */
  private long reclaimed;

  private @Nullable Thread thread;

  /**
   * @param name of the dataset, for messages
   * @param oldestKept returns the time before which samples have expired; {@link Long#MIN_VALUE} if
   *     none ever does
   */
  Sealer(
      String name,
      Heads heads,
      BlockTable blocks,
      Journal journal,
      LatestInBlocks latest,
      LongSupplier oldestKept) {
    this.name = name;
    this.heads = heads;
    this.blocks = blocks;
    this.journal = journal;
    this.latest = latest;
    this.oldestKept = oldestKept;
  }

  void start() {
    thread = Thread.ofPlatform().daemon().name("sealer of " + name).start(this::run);
  }

  /**
   * Writes a head to blocks, and drops it and its journal entries.
   *
   * @throws WriteFailedException if the store failed; the head can be sealed again
   */
  void seal(Full full) {
    SealedEnds ends = blocks.write(full.head(), full.through());
    journal.cut(full.through());
    seals.increment();
    sealedSamples.add(full.head().samples());
    // In this order: a reader that still sees the head may find its samples in both.
    latest.add(ends);
    heads.drop(full);
  }

  private void run() {
    while (!heads.isClosed()) {
      try {
        next();
      } catch (StoreException | WriteFailedException e) {
        LOG.warn("dataset '{}': sealing failed and will be retried: {}", name, e.getMessage());
        pause();
      } catch (RuntimeException e) {
        LOG.error("dataset '{}': sealing failed and will be retried", name, e);
        pause();
      }
    }
  }

  private void pause() {
    try {
      heads.pause(BEFORE_ANOTHER_TRY);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void next() {
    dropExpired();
    lookWhetherQuiet();
    boolean merged = mergeSome();
    if (quiet && !merged && !heads.isSealing()) {
      reclaim();
      return;
    }
    Full full = heads.awaitFull(merged ? Duration.ZERO : IDLE);
    if (full != null) {
      seal(full);
    }
  }

  private void dropExpired() {
    long oldest = oldestKept.getAsLong();
    if (oldest > Long.MIN_VALUE) {
      boolean dropped;
      rewriting.lock();
      try {
        dropped = blocks.dropBefore(oldest);
      } finally {
        rewriting.unlock();
      }
      if (dropped) {
        latest.clear();
      }
    }
  }

  /**
   * Checks whether little was written lately, but enough before to be worth putting in order. If
   * so, requests a seal of the head.
   */
  private void lookWhetherQuiet() {
    long now = System.nanoTime();
    if (now - seenAt < IDLE.toNanos()) {
      return;
    }
    long appended = heads.appendedBytes();
    quiet = appended - seenAppended < QUIET_BYTES && appended - reclaimed > RECLAIMED_MIN;
    seenAppended = appended;
    seenAt = now;
    if (quiet) {
      heads.requestSeal();
    }
  }

  /** Merges some blocks; a failure must not keep samples from being sealed. */
  private boolean mergeSome() {
    rewriting.lock();
    try {
      return pendingDeletes == 0 && blocks.mergeSome(quiet, journal.sealedThrough());
    } catch (StoreException | WriteFailedException | CorruptDataException e) {
      LOG.warn("dataset '{}': blocks are not merged: {}", name, e.getMessage());
      blocks.endMerge();
      return false;
    } finally {
      rewriting.unlock();
    }
  }

  /** Frees memory and the space of journal entries and blocks that are not needed any more. */
  private void reclaim() {
    long through = heads.appendedBytes();
    quiet = false;
    heads.trim();
    journal.reclaim();
    blocks.reclaim();
    reclaimed = through;
  }

  /** Returns the lock to hold while blocks are replaced. */
  ReentrantLock rewriting() {
    return rewriting;
  }

  /**
   * Counts the deletes in progress. While there are any, blocks are not merged: a merged block has
   * the generation of its latest part, which may be later than the delete.
   *
   * @param more 1 when a delete begins, -1 when it ends
   */
  void countDelete(int more) {
    rewriting.lock();
    try {
      pendingDeletes += more;
    } finally {
      rewriting.unlock();
    }
  }

  /** Adds metrics by name. */
  void addFigures(Map<String, Double> figures) {
    figures.put("seals_total", seals.doubleValue());
    figures.put("sealed_samples_total", sealedSamples.doubleValue());
  }

  /**
   * Ends the thread, if there is one, after the heads are closed; seals the heads that are left.
   */
  void stop() {
    Thread running = thread;
    if (running == null) {
      return;
    }
    try {
      running.join(TimeUnit.SECONDS.toMillis(STOP_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      for (Full rest = heads.rest(); rest != null; rest = heads.rest()) {
        seal(rest);
      }
      if (heads.appendedBytes() - reclaimed > RECLAIMED_MIN) {
        journal.reclaim();
      }
    } catch (StoreException | WriteFailedException e) {
      LOG.warn(
          "dataset '{}': not everything is sealed; the next start reads the journal: {}",
          name,
          e.getMessage());
    }
  }
}
