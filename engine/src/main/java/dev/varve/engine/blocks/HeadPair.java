package dev.varve.engine.blocks;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The head that new batches enter, and a full head while it is sealed: their sizes, and the limits
 * at which they are full. Not safe for use by several threads; {@link Heads} guards it.
 */
final class HeadPair {
  /** Age at which a head is sealed even if it is not full. */
  private static final Duration AGE_MAX = Duration.ofHours(2);

  /** Bytes and samples per series from which a head is sealed before it reaches its limit. */
  private static final long GOOD_BYTES = 32L << 20;

  private static final long GOOD_SAMPLES = 256;

  /**
   * A head that is to be sealed.
   *
   * @param through the stamp of the last batch that was added to it, or skipped meanwhile
   * @param entries bytes of its journal entries
   */
  record Full(Head head, long through, long entries) {}

  /** Bytes at which a head is sealed. */
  private final long headMax;

  /** Bytes of journal entries at which a head is sealed. */
  private final long journalMax;

  private final HeadPages pages;
  private Head head;

  /** When the first sample of the head was accepted; meaningless while it is empty. */
  private long headSince = System.nanoTime();

  /** Bytes of the journal entries of the head. */
  private long headEntries;

  private @Nullable Full sealing;

  /** The last stamp of the last sealed head. */
  private long sealedThrough = Long.MIN_VALUE;

  /** The stamp of the last batch that was added or skipped. */
  private long lastStamp = Long.MIN_VALUE;

  /**
   * @param headMax bytes at which a head is sealed; two heads may be in memory
   * @param journalMax bytes of journal entries at which a head is sealed
   */
  HeadPair(long headMax, long journalMax) {
    this.headMax = headMax;
    this.journalMax = journalMax;
    this.pages = new HeadPages(Math.min(headMax, 2 * GOOD_BYTES));
    this.head = new Head(pages);
  }

  void add(long stamp, ColumnBatch batch, int entryLength) {
    headSince = head.isEmpty() ? System.nanoTime() : headSince;
    head.add(batch);
    headEntries += entryLength;
    lastStamp = stamp;
  }

  /**
   * Notes a batch that was not added. The journal may have its entry nevertheless, so the next seal
   * has to cut that, too.
   */
  void skip(long stamp) {
    lastStamp = stamp;
  }

  /**
   * Returns whether the head is to be sealed: it or its journal has reached a limit, or it is large
   * and its series have enough samples for good blocks.
   */
  boolean isFull() {
    return head.bytes() > headMax
        || head.isFull()
        || headEntries > journalMax
        || (head.bytes() > GOOD_BYTES && head.samples() > GOOD_SAMPLES * head.series());
  }

  /**
   * Returns whether the head has samples so old that it is to be sealed although it is not full.
   */
  boolean isOld() {
    return !head.isEmpty() && System.nanoTime() - headSince >= AGE_MAX.toNanos();
  }

  boolean isEmpty() {
    return head.isEmpty();
  }

  /** Returns the head that is being sealed; null if there is none. */
  @Nullable Full sealing() {
    return sealing;
  }

  /** Makes the head the one to be sealed, and begins a new one. None may be in sealing. */
  Full beginSealing() {
    Full full = new Full(head, lastStamp, headEntries);
    sealing = full;
    head = new Head(pages);
    headEntries = 0;
    return full;
  }

  /** Drops a head whose samples are in blocks now. */
  void drop(Full full) {
    sealing = null;
    full.head().drop();
    sealedThrough = full.through();
  }

  /** Returns the stamp of the last batch, added or skipped; the smallest number without any. */
  long lastStamp() {
    return lastStamp;
  }

  /**
   * Returns whether samples of batches up to a stamp may not be in blocks yet, or the journal may
   * have entries of such batches.
   */
  boolean isUnsealed(long through) {
    return sealing != null || sealedThrough < Math.min(through, lastStamp);
  }

  /** Returns the heads in the order of acceptance. */
  List<Head> heads() {
    return sealing == null ? List.of(head) : List.of(sealing.head(), head);
  }

  /** Returns the heap bytes of both heads. */
  long bytes() {
    return heads().stream().mapToLong(Head::bytes).sum();
  }

  /** Returns the number of batches in the head. */
  int batches() {
    return head.batches();
  }

  /** Adds metrics by name. */
  void addFigures(Map<String, Double> figures) {
    long samples = heads().stream().mapToLong(Head::samples).sum();
    double age = head.isEmpty() ? 0 : (System.nanoTime() - headSince) / 1e9;
    double entries = (double) headEntries + (sealing == null ? 0 : sealing.entries());
    figures.put("head_bytes", (double) bytes());
    figures.put("head_samples", (double) samples);
    figures.put("head_age_seconds", age);
    figures.put("journal_bytes", entries);
  }

  /** Frees memory that is kept for the next heads. */
  void trim() {
    pages.clear();
  }
}
