package dev.varve.engine.blocks;

import dev.varve.engine.CorruptDataException;
import dev.varve.engine.JournalConfig;
import dev.varve.engine.OverloadedException;
import dev.varve.engine.WriteFailedException;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.delete.HiddenSamples;
import dev.varve.engine.delete.RemovalTally;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.SizeLimits;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tiers of a period in blocks: the head, which new samples enter; a full head, while it is
 * sealed; and the table of blocks. The journal has all samples that are not in blocks. Safe for use
 * by several threads.
 *
 * <p>Batches become visible in the order of their stamps, which is the order of the journal. The
 * last accepted sample of an instant wins: a head wins over an older head, and that over blocks.
 */
public final class BlockTiers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BlockTiers.class);

  /** Age at which a head is sealed even if it is not full. */
  private static final Duration AGE_MAX = Duration.ofHours(2);

  /** Bytes and samples per series from which a head is sealed before it reaches its limit. */
  private static final long GOOD_BYTES = 32L << 20;

  private static final long GOOD_SAMPLES = 256;

  /** Interval at which the sealer looks for expired buckets and for quiet. */
  private static final Duration IDLE = Duration.ofSeconds(10);

  /** Bytes of entries in that time below which the dataset counts as quiet. */
  private static final long QUIET_BYTES = 1 << 20;

  /** Bytes of entries whose space is worth reclaiming. */
  private static final long RECLAIMED_MIN = 4 << 20;

  /** Time a batch waits for room in the head. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private static final Duration BEFORE_ANOTHER_TRY = Duration.ofSeconds(5);

  /** Number of columns that are kept for the next batches. */
  private static final int POOLED = 4;

  /** Largest capacity of pooled columns, in samples. */
  private static final int POOLED_SAMPLES = 1 << 15;

  private final String name;
  private final BlockTable blocks;
  private final Journal journal;
  private final JournalWriter writer;
  private final LongSupplier stamps;
  private final LongSupplier oldestKept;
  private final SeriesNumbers numbers;
  private final List<Table> tables;

  /** Bytes at which a head is sealed. */
  private final long headMax;

  /** Bytes of journal entries at which a head is sealed. */
  private final long journalMax;

  /** Held while blocks are replaced or dropped, so that nobody replaces what has changed. */
  private final ReentrantLock rewriting = new ReentrantLock();

  /** Number of deletes whose samples may be in blocks. Guarded by {@link #rewriting}. */
  private int standingDeletes;

  /** Guards all fields below. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled if a batch had its turn or a head was sealed. */
  private final Condition changed = lock.newCondition();

  /** Signalled if there is work for the sealer. */
  private final Condition due = lock.newCondition();

  private final LatestInBlocks latest;

  private Head head = new Head();

  /** When the first sample of the head was accepted; meaningless while it is empty. */
  private long headSince = System.nanoTime();

  /** Bytes of the journal entries of the head. */
  private long headEntries;

  private @Nullable Head sealing;

  /** Bytes of the journal entries of {@link #sealing}. */
  private long sealingEntries;

  /** The last stamp of {@link #sealing}. */
  private long sealingThrough;

  private long tickets;
  private long turn;

  /** The last stamp of the last sealed head. */
  private long sealedThrough = Long.MIN_VALUE;

  /** The stamp of the last batch that had its turn. */
  private long lastStamp = Long.MIN_VALUE;

  private boolean sealRequested;

  /** Bytes of all journal entries since the start. */
  private long appended;

  /** {@link #appended} when space was last reclaimed. */
  private long reclaimed;

  /** {@link #appended} when it was last looked at to see whether it grows, and when that was. */
  private long seenAppended;

  private long seenAt = System.nanoTime();
  private boolean quiet;
  private boolean closed;
  private @Nullable Thread sealer;

  private final Queue<ColumnBatch> spareColumns = new ArrayBlockingQueue<>(POOLED);
  private final LongAdder sealedSamples = new LongAdder();
  private final LongAdder seals = new LongAdder();

  private BlockTiers(
      String name,
      Store store,
      List<Table> tables,
      BlockLayout layout,
      SeriesNumbers numbers,
      LongSupplier stamps,
      LongSupplier oldestKept,
      long headMax,
      JournalConfig journaling,
      Rescue rescue) {
    this.name = name;
    this.tables = tables;
    this.numbers = numbers;
    this.stamps = stamps;
    this.oldestKept = oldestKept;
    this.headMax = headMax;
    this.journalMax = journaling.maxBytes() / 2;
    Table ofBlocks = tables.get(BlockLayout.BLOCKS);
    Table ofJournal = tables.get(BlockLayout.JOURNAL);
    this.blocks =
        new BlockTable(
            ofBlocks,
            limits(store, ofBlocks),
            layout.resolution(),
            numbers,
            stamps,
            rescue.extent());
    this.latest = new LatestInBlocks(blocks.isEmpty());
    this.journal = new Journal(ofJournal, limits(store, ofJournal));
    this.writer = new JournalWriter(name, journal, journaling);
  }

  private static SizeLimits limits(Store store, Table table) {
    return store.capabilities(table.spec()).limits();
  }

  /**
   * Opens the tiers and reads the journal.
   *
   * @param name of the dataset, for messages
   * @param tables open tables, in the order of the layout; closed by {@link #close}
   * @param numbers of the dataset, complete
   * @param stamps source of stamps that rise from batch to batch
   * @param oldestKept returns the time before which samples have expired; {@link Long#MIN_VALUE} if
   *     none ever does
   * @param headMax bytes at which a head is sealed; two heads may be in memory
   * @param journaling what writers wait for
   * @throws dev.varve.engine.CorruptDataException if the journal is damaged and nobody agrees to
   *     remove the damaged entries
   */
  public static BlockTiers open(
      String name,
      Store store,
      List<Table> tables,
      BlockLayout layout,
      SeriesNumbers numbers,
      LongSupplier stamps,
      LongSupplier oldestKept,
      long headMax,
      JournalConfig journaling,
      Rescue rescue) {
    BlockTiers tiers =
        new BlockTiers(
            name, store, tables, layout, numbers, stamps, oldestKept, headMax, journaling, rescue);
    if (!rescue.complete()) {
      tiers.blocks.reserveNumbers();
    }
    tiers.replay(rescue.entries());
    return tiers;
  }

  private void replay(Rescue.DamagedEntries damaged) {
    long[] lost = new long[1];
    journal.replay(
        (stamp, length, batch) -> {
          lost[0] += unknown(batch);
          head.add(batch);
          headEntries += length;
          lastStamp = stamp;
          if (isFull()) {
            sealNow();
          }
        },
        damaged);
    if (lost[0] > 0) {
      LOG.error(
          "dataset '{}': the journal has {} samples of series that the catalog lacks",
          name,
          lost[0]);
    }
  }

  private long unknown(ColumnBatch batch) {
    long unknown = 0;
    for (int column = 0; column < batch.columns(); column++) {
      if (numbers.key(batch.series(column)) < 0) {
        numbers.reserveForLost(batch.series(column));
        unknown += batch.end(column) - batch.start(column);
      }
    }
    return unknown;
  }

  /**
   * Returns whether the head is to be sealed: it or its journal has reached a limit, or it is large
   * and its series have enough samples for good blocks.
   */
  private boolean isFull() {
    return head.bytes() > headMax
        || head.isFull()
        || headEntries > journalMax
        || (head.bytes() > GOOD_BYTES && head.samples() > GOOD_SAMPLES * head.series());
  }

  /** Seals the head on this thread, while nobody else uses the tiers. */
  private void sealNow() {
    latest.add(seal(head, lastStamp));
    head = new Head();
    headEntries = 0;
  }

  /** Starts to seal full heads in the background. */
  public void start() {
    writer.start();
    sealer = Thread.ofPlatform().daemon().name("sealer of " + name).start(this::sealAlways);
  }

  /** Returns empty columns, which may come from a pool. */
  public ColumnBatch newColumns() {
    ColumnBatch pooled = spareColumns.poll();
    return pooled == null ? new ColumnBatch() : pooled;
  }

  /** Returns columns to the pool, unless they are large or there are enough. */
  public void release(ColumnBatch columns) {
    if (columns.capacity() <= POOLED_SAMPLES) {
      columns.clear();
      spareColumns.offer(columns);
    }
  }

  /**
   * Writes a batch and returns once it is visible, and as durable as the journal is to make it.
   *
   * @throws OverloadedException if there is no room in the head; nothing was written
   * @throws WriteFailedException if the store failed
   */
  public void write(ColumnBatch batch) {
    JournalEntry entry = writer.encode(batch);
    int length = entry.length();
    awaitRoom();
    long ticket;
    long stamp;
    lock.lock();
    try {
      stamp = stamps.getAsLong();
      ticket = tickets++;
    } finally {
      lock.unlock();
    }
    boolean written = false;
    try {
      writer.append(stamp, entry);
      written = true;
    } finally {
      takeTurn(ticket, stamp, written ? batch : null, length);
    }
  }

  private void awaitRoom() {
    long left = PATIENCE.toNanos();
    lock.lock();
    try {
      while (isFull() && sealing != null) {
        if (left <= 0) {
          throw new OverloadedException(
              "dataset '%s': %,d bytes of samples wait to be sealed into blocks, the limit is %,d: try again"
                  .formatted(name, head.bytes() + sealing.bytes(), 2 * headMax),
              PATIENCE);
        }
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OverloadedException("interrupted while waiting for room to write", PATIENCE);
    } finally {
      lock.unlock();
    }
  }

  /** Adds a batch to the head after all batches with lower stamps; null if it was not written. */
  private void takeTurn(long ticket, long stamp, @Nullable ColumnBatch batch, int length) {
    lock.lock();
    try {
      while (turn != ticket) {
        changed.awaitUninterruptibly();
      }
      if (batch != null) {
        headSince = head.isEmpty() ? System.nanoTime() : headSince;
        head.add(batch);
        headEntries += length;
        lastStamp = stamp;
        appended += length;
        if (isFull()) {
          due.signal();
        }
      }
      turn++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void sealAlways() {
    while (true) {
      try {
        if (!sealNext()) {
          return;
        }
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
    lock.lock();
    try {
      long left = BEFORE_ANOTHER_TRY.toNanos();
      while (!closed && left > 0) {
        left = due.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until a head has to be sealed, and seals it.
   *
   * @return false if the tiers are closed
   */
  private boolean sealNext() {
    dropExpired();
    boolean quiet = isQuiet();
    boolean merged = mergeSome(quiet);
    if (quiet && !merged && reclaim()) {
      return true;
    }
    Head full = awaitFull(merged);
    if (full == null) {
      lock.lock();
      try {
        return !closed;
      } finally {
        lock.unlock();
      }
    }
    SealedEnds ends = seal(full, sealingThrough);
    lock.lock();
    try {
      latest.add(ends);
      sealing = null;
      sealingEntries = 0;
      sealedThrough = sealingThrough;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    return true;
  }

  /** Merges some blocks; a failure must not keep samples from being sealed. */
  private boolean mergeSome(boolean quiet) {
    rewriting.lock();
    try {
      return standingDeletes == 0 && blocks.mergeSome(quiet);
    } catch (StoreException | WriteFailedException | CorruptDataException e) {
      LOG.warn("dataset '{}': blocks are not merged: {}", name, e.getMessage());
      blocks.endMerge();
      return false;
    } finally {
      rewriting.unlock();
    }
  }

  /**
   * Notes a delete, or that one has ended. Until then blocks are not merged: a merged block has the
   * generation of its latest part, which may be later than the delete.
   *
   * @param more 1 or -1
   */
  public void countDelete(int more) {
    rewriting.lock();
    try {
      standingDeletes += more;
    } finally {
      rewriting.unlock();
    }
  }

  /**
   * Removes deleted samples from blocks. Those in heads are later than every delete.
   *
   * @param times of the deleted samples
   * @param series what is hidden, by the number of the series in blocks
   * @param stopped polled from time to time; true ends the removal
   * @throws WriteFailedException if the store failed
   */
  public void remove(
      TimeRange times,
      Map<Integer, HiddenSamples> series,
      RemovalTally tally,
      BooleanSupplier stopped) {
    // A read that began before the removal may learn of a removed sample until its end.
    forgetLatest();
    try {
      blocks.removal(rewriting, tally).run(blocks.buckets(times), series, stopped);
    } finally {
      forgetLatest();
    }
  }

  private void forgetLatest() {
    lock.lock();
    try {
      latest.clear();
    } finally {
      lock.unlock();
    }
  }

  /** Frees the space of removed samples, in blocks and in the journal, if the store can. */
  public void reclaimDeleted() {
    journal.reclaim();
    blocks.reclaim();
  }

  /**
   * Returns whether little was written lately, but enough before to be worth putting in order: the
   * head is sealed then, rows are merged and space is reclaimed.
   */
  private boolean isQuiet() {
    lock.lock();
    try {
      long now = System.nanoTime();
      if (now - seenAt < IDLE.toNanos()) {
        return quiet && !closed;
      }
      quiet = appended - seenAppended < QUIET_BYTES && appended - reclaimed > RECLAIMED_MIN;
      seenAppended = appended;
      seenAt = now;
      sealRequested |= quiet && !head.isEmpty();
      return quiet && !closed;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Frees the space of journal entries and blocks that are not needed any more.
   *
   * @return false if a head has to be sealed first
   */
  private boolean reclaim() {
    long through;
    lock.lock();
    try {
      if (sealing != null || sealRequested) {
        return false;
      }
      through = appended;
      quiet = false;
    } finally {
      lock.unlock();
    }
    journal.reclaim();
    blocks.reclaim();
    lock.lock();
    try {
      reclaimed = through;
    } finally {
      lock.unlock();
    }
    return true;
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
        forgetLatest();
      }
    }
  }

  /**
   * Returns the next head to seal, or one whose sealing failed; null if the tiers are closed, or if
   * none is full and there is other work.
   *
   * @param hasWork whether not to wait
   */
  private @Nullable Head awaitFull(boolean hasWork) {
    lock.lock();
    try {
      boolean waited = false;
      while (sealing == null) {
        long age = System.nanoTime() - headSince;
        if (closed) {
          return null;
        }
        if (isFull() || (!head.isEmpty() && (sealRequested || age >= AGE_MAX.toNanos()))) {
          sealing = head;
          sealingThrough = lastStamp;
          sealingEntries = headEntries;
          head = new Head();
          headEntries = 0;
          sealRequested = false;
        } else if (hasWork || waited) {
          return null;
        } else {
          waited = due.awaitNanos(IDLE.toNanos()) <= 0;
        }
      }
      return sealing;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } finally {
      lock.unlock();
    }
  }

  private SealedEnds seal(Head full, long through) {
    SealedEnds ends = blocks.write(full, through);
    journal.cut(through);
    seals.increment();
    sealedSamples.add(full.samples());
    return ends;
  }

  /**
   * Seals all samples accepted before, and returns when they are in blocks or the tiers are closed.
   */
  public void seal() {
    lock.lock();
    try {
      long through = lastStamp;
      while (!closed && hasUnsealed(through)) {
        sealRequested = true;
        due.signal();
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean hasUnsealed(long through) {
    return sealing != null || (!head.isEmpty() && sealedThrough < through);
  }

  /** Returns a view of all samples accepted so far; later batches do not change it. */
  public View view() {
    lock.lock();
    try {
      List<Head> heads = new ArrayList<>(2);
      if (sealing != null) {
        heads.add(sealing);
      }
      heads.add(head);
      return new View(heads, head.batches(), latest.version());
    } finally {
      lock.unlock();
    }
  }

  /** What a read sees. For one thread. */
  public final class View {
    private final List<Head> heads;
    private final int batches;
    private final long latestVersion;

    private View(List<Head> heads, int batches, long latestVersion) {
      this.heads = List.copyOf(heads);
      this.batches = batches;
      this.latestVersion = latestVersion;
    }

    /**
     * Adds the latest sample of a series in a range, and perhaps others of heads, without reading
     * blocks.
     *
     * @param into an empty column
     * @return false if that takes blocks; the column is empty then
     */
    public boolean readLatest(int series, TimeRange times, SampleColumn into) {
      LatestInBlocks.Entry known;
      lock.lock();
      try {
        known = latest.find(series, latestVersion);
      } finally {
        lock.unlock();
      }
      if (known == null || known.time() >= (known.kind() == null ? times.from() : times.to())) {
        return false;
      }
      long from = times.from();
      if (known.kind() != null && known.time() >= from) {
        from = known.time();
        into.add(from, known.kind(), known.value());
      }
      read(series, new TimeRange(from, times.to()), into);
      return true;
    }

    /**
     * Takes note of what blocks have of a series.
     *
     * @param time of its latest sample; if the kind is null, a time after which there is none
     * @param kind int64 or double; null if there is no sample after the time
     * @param value an int64, or the bits of a double
     */
    public void learnLatest(int series, long time, @Nullable Kind kind, long value) {
      lock.lock();
      try {
        latest.learn(series, new LatestInBlocks.Entry(time, kind, value), latestVersion);
      } finally {
        lock.unlock();
      }
    }

    /** Returns the buckets that may have blocks with samples in a range, in ascending order. */
    public List<Long> buckets(TimeRange times) {
      return blocks.buckets(times);
    }

    /** Returns the table of blocks. */
    public Table table() {
      return blocks.table();
    }

    /** Adds the samples of heads, in the order of acceptance. */
    public void read(int series, TimeRange times, SampleColumn into) {
      lock.lock();
      try {
        for (Head one : heads) {
          boolean last = one == heads.getLast();
          int visible = last ? batches : Integer.MAX_VALUE;
          one.read(series, visible, times.from(), times.to(), into);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Returns the unit of times. */
  public Resolution resolution() {
    return blocks.resolution();
  }

  public SeriesNumbers numbers() {
    return numbers;
  }

  /** Returns the table of blocks. */
  public Table table() {
    return blocks.table();
  }

  /** Passes the numbers of all series that have samples in memory, some of them twice. */
  public void forEachInMemory(IntConsumer action) {
    lock.lock();
    try {
      for (Head one : sealing == null ? List.of(head) : List.of(sealing, head)) {
        one.forEach(action::accept);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns metrics by name. */
  public Map<String, Double> figures() {
    Map<String, Double> figures = new TreeMap<>();
    lock.lock();
    try {
      Head before = sealing;
      figures.put("head_bytes", (double) head.bytes() + (before == null ? 0 : before.bytes()));
      figures.put(
          "head_samples", (double) head.samples() + (before == null ? 0 : before.samples()));
      figures.put("head_age_seconds", head.isEmpty() ? 0 : (System.nanoTime() - headSince) / 1e9);
      figures.put("journal_bytes", (double) headEntries + sealingEntries);
    } finally {
      lock.unlock();
    }
    figures.put("journal_queued_bytes", (double) writer.queuedBytes());
    figures.put("blocks_sealed_bytes_total", (double) blocks.sealedBytes());
    figures.put("blocks_merged_bytes_total", (double) blocks.mergedBytes());
    figures.put("seals_total", seals.doubleValue());
    figures.put("sealed_samples_total", sealedSamples.doubleValue());
    return figures;
  }

  /** Seals everything as far as the store permits, and closes the tables. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      due.signal();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    writer.close();
    Thread running = sealer;
    if (running != null) {
      join(running);
      sealRest();
    }
    tables.forEach(Table::close);
  }

  private static void join(Thread running) {
    try {
      running.join(TimeUnit.SECONDS.toMillis(60));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void sealRest() {
    try {
      Head before = sealing;
      if (before != null) {
        latest.add(seal(before, sealingThrough));
        sealing = null;
      }
      if (!head.isEmpty()) {
        sealNow();
      }
      if (appended - reclaimed > RECLAIMED_MIN) {
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
