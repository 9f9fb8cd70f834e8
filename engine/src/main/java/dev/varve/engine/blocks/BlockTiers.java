package dev.varve.engine.blocks;

import dev.varve.engine.CorruptDataException;
import dev.varve.engine.OverloadedException;
import dev.varve.engine.WriteFailedException;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.TimeRange;
import dev.varve.store.SizeLimits;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
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

  /** Interval at which expired buckets are looked for. */
  private static final Duration IDLE = Duration.ofMinutes(1);

  /** Time a batch waits for room in the head. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private static final Duration BEFORE_ANOTHER_TRY = Duration.ofSeconds(5);

  private final String name;
  private final BlockTable blocks;
  private final Journal journal;
  private final LongSupplier stamps;
  private final LongSupplier oldestKept;
  private final SeriesNumbers numbers;
  private final List<Table> tables;

  /** Bytes at which a head is sealed. */
  private final long headMax;

  /** Guards all fields below. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled if a batch had its turn, a head was sealed, or a seal is requested. */
  private final Condition changed = lock.newCondition();

  private Head head = new Head();

  /** When the first sample of the head was accepted; meaningless while it is empty. */
  private long headSince = System.nanoTime();

  private @Nullable Head sealing;

  /** The last stamp of {@link #sealing}. */
  private long sealingThrough;

  private long tickets;
  private long turn;

  /** The last stamp of the last sealed head. */
  private long sealedThrough = Long.MIN_VALUE;

  /** The stamp of the last batch that had its turn. */
  private long lastStamp = Long.MIN_VALUE;

  private boolean sealRequested;
  private boolean closed;
  private @Nullable Thread sealer;

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
      long headMax) {
    this.name = name;
    this.tables = tables;
    this.numbers = numbers;
    this.stamps = stamps;
    this.oldestKept = oldestKept;
    this.headMax = headMax;
    Table ofBlocks = tables.get(BlockLayout.BLOCKS);
    Table ofJournal = tables.get(BlockLayout.JOURNAL);
    this.blocks = new BlockTable(ofBlocks, limits(store, ofBlocks), layout.resolution(), numbers);
    this.journal = new Journal(ofJournal, limits(store, ofJournal));
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
   * @throws dev.varve.engine.CorruptDataException if the journal is damaged
   */
  public static BlockTiers open(
      String name,
      Store store,
      List<Table> tables,
      BlockLayout layout,
      SeriesNumbers numbers,
      LongSupplier stamps,
      LongSupplier oldestKept,
      long headMax) {
    BlockTiers tiers =
        new BlockTiers(name, store, tables, layout, numbers, stamps, oldestKept, headMax);
    tiers.replay();
    return tiers;
  }

  private void replay() {
    long[] lost = new long[1];
    journal.replay((stamp, batch) -> {
      lost[0] += unknown(batch);
      head.add(batch);
      lastStamp = stamp;
      if (head.bytes() > headMax) {
        sealNow();
      }
    });
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
        unknown += batch.end(column) - batch.start(column);
      }
    }
    return unknown;
  }

  /** Seals the head on this thread, while nobody else uses the tiers. */
  private void sealNow() {
    seal(head, lastStamp);
    head = new Head();
  }

  /** Starts to seal full heads in the background. */
  public void start() {
    sealer = Thread.ofPlatform().daemon().name("sealer of " + name).start(this::sealAlways);
  }

  /**
   * Writes a batch and returns once it is durable and visible.
   *
   * @throws OverloadedException if there is no room in the head; nothing was written
   * @throws WriteFailedException if the store failed
   */
  public void write(ColumnBatch batch) {
    JournalEntry entry = new JournalEntry();
    entry.encode(batch);
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
    boolean appended = false;
    try {
      journal.append(stamp, entry);
      appended = true;
    } finally {
      takeTurn(ticket, stamp, appended ? batch : null);
    }
  }

  private void awaitRoom() {
    long left = PATIENCE.toNanos();
    lock.lock();
    try {
      while (head.bytes() > headMax && sealing != null) {
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
  private void takeTurn(long ticket, long stamp, @Nullable ColumnBatch batch) {
    lock.lock();
    try {
      while (turn != ticket) {
        changed.awaitUninterruptibly();
      }
      if (batch != null) {
        headSince = head.isEmpty() ? System.nanoTime() : headSince;
        head.add(batch);
        lastStamp = stamp;
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
        left = changed.awaitNanos(left);
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
    Head full = awaitFull(mergeSome());
    if (full == null) {
      lock.lock();
      try {
        return !closed;
      } finally {
        lock.unlock();
      }
    }
    seal(full, sealingThrough);
    lock.lock();
    try {
      sealing = null;
      sealedThrough = sealingThrough;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    return true;
  }

  /** Merges some blocks; a failure must not keep samples from being sealed. */
  private boolean mergeSome() {
    try {
      return blocks.mergeSome();
    } catch (StoreException | WriteFailedException | CorruptDataException e) {
      LOG.warn("dataset '{}': blocks are not merged: {}", name, e.getMessage());
      blocks.endMerge();
      return false;
    }
  }

  private void dropExpired() {
    long oldest = oldestKept.getAsLong();
    if (oldest > Long.MIN_VALUE) {
      blocks.dropBefore(oldest);
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
        if (head.bytes() > headMax
            || (!head.isEmpty() && (sealRequested || age >= AGE_MAX.toNanos()))) {
          sealing = head;
          sealingThrough = lastStamp;
          head = new Head();
          sealRequested = false;
        } else if (hasWork || waited) {
          return null;
        } else {
          waited = changed.awaitNanos(IDLE.toNanos()) <= 0;
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

  private void seal(Head full, long through) {
    blocks.write(full, through);
    journal.cut(through);
    seals.increment();
    sealedSamples.add(full.samples());
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
        changed.signalAll();
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
      return new View(heads, head.batches());
    } finally {
      lock.unlock();
    }
  }

  /** What a read sees. For one thread. */
  public final class View {
    private final List<Head> heads;
    private final int batches;

    private View(List<Head> heads, int batches) {
      this.heads = List.copyOf(heads);
      this.batches = batches;
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

  public SeriesNumbers numbers() {
    return numbers;
  }

  /** Returns the table of blocks. */
  public Table table() {
    return blocks.table();
  }

  /** Passes the numbers in the index of all keys that have samples in memory. */
  public void forEachInMemory(IntConsumer action) {
    lock.lock();
    try {
      for (Head one : sealing == null ? List.of(head) : List.of(sealing, head)) {
        one.forEach(number -> action.accept(numbers.key(number)));
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
    } finally {
      lock.unlock();
    }
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
      changed.signalAll();
    } finally {
      lock.unlock();
    }
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
        seal(before, sealingThrough);
        sealing = null;
      }
      if (!head.isEmpty()) {
        sealNow();
      }
    } catch (StoreException | WriteFailedException e) {
      LOG.warn(
          "dataset '{}': not everything is sealed; the next start reads the journal: {}",
          name,
          e.getMessage());
    }
  }
}
