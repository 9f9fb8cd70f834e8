package dev.varve.engine.blocks;

import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.config.JournalConfig;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.pending.HiddenSamples;
import dev.varve.engine.pending.RemovalTally;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.SizeLimits;
import dev.varve.store.Store;
import dev.varve.store.Table;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
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

  /** Number of columns that are kept for the next batches. */
  private static final int POOLED = 4;

  /** Largest capacity of pooled columns, in samples. */
  private static final int POOLED_SAMPLES = 1 << 15;

  private final String name;
  private final BlockTable blocks;
  private final Journal journal;
  private final JournalWriter writer;
  private final Heads heads;
  private final LatestInBlocks latest;
  private final Sealer sealer;
  private final SeriesNumbers numbers;
  private final List<Table> tables;
  private final Queue<ColumnBatch> spareColumns = new ArrayBlockingQueue<>(POOLED);

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
    this.heads = new Heads(name, stamps, headMax, journaling.maxBytes() / 2);
    this.sealer = new Sealer(name, heads, blocks, journal, latest, oldestKept);
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
   * @param journaling the configuration of the journal
   * @throws dev.varve.engine.error.CorruptDataException if the journal is damaged and nobody agrees
   *     to remove the damaged entries
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
          HeadPair.Full full = heads.replay(stamp, batch, length);
          if (full != null) {
            sealer.seal(full);
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

  /** Starts to seal full heads in the background. */
  public void start() {
    writer.start();
    sealer.start();
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
   * Writes a batch and returns once it is visible, and as durable as the configuration of the
   * journal demands.
   *
   * @throws dev.varve.engine.error.OverloadedException if there is no room in the head; nothing was
   *     written
   * @throws WriteFailedException if the store failed
   */
  public void write(ColumnBatch batch) {
    JournalEntry entry = writer.encode(batch);
    int length = entry.length();
    Heads.Turn turn = heads.takeTurn();
    boolean written = false;
    try {
      writer.append(turn.stamp(), entry);
      written = true;
    } finally {
      if (written) {
        heads.enter(turn, batch, length);
      } else {
        heads.skip(turn);
      }
    }
  }

  /**
   * Counts the deletes in progress. While there are any, blocks are not merged.
   *
   * @param more 1 when a delete begins, -1 when it ends
   */
  public void countDelete(int more) {
    sealer.countDelete(more);
  }

  /**
   * Removes deleted samples from blocks. Those in heads are later than every delete.
   *
   * @param times of the deleted samples
   * @param series the hidden samples, by the number of the series in blocks
   * @param stopped polled from time to time; true ends the removal
   * @throws WriteFailedException if the store failed
   */
  public void remove(
      TimeRange times,
      Map<Integer, HiddenSamples> series,
      RemovalTally tally,
      BooleanSupplier stopped) {
    // A read that began before the removal may learn of a removed sample until its end.
    latest.clear();
    try {
      blocks.removal(sealer.rewriting(), tally).run(blocks.buckets(times), series, stopped);
    } finally {
      latest.clear();
    }
  }

  /** Returns whether memory or blocks hold anything of a series, including damaged blocks. */
  public boolean has(int series) {
    SampleColumn inMemory = new SampleColumn();
    // Memory first: samples that are sealed in between are in blocks by then.
    try (View view = view()) {
      view.read(series, TimeRange.ALL, inMemory);
    }
    return !inMemory.isEmpty() || blocks.has(series);
  }

  /** Frees the space of removed samples, in blocks and in the journal, if the store can. */
  public void reclaimDeleted() {
    journal.reclaim();
    blocks.reclaim();
  }

  /**
   * Seals all samples accepted before, and returns when they are in blocks or the tiers are closed.
   */
  public void seal() {
    heads.seal();
  }

  /**
   * Like {@link #seal()}, for a limited time.
   *
   * @param most maximum time to wait
   * @return whether all samples accepted before are in blocks
   */
  public boolean seal(Duration most) {
    return heads.seal(most);
  }

  /** Returns a view of all samples accepted so far; later batches do not change it. */
  public View view() {
    // Heads first: a sample that is sealed in between is then in the heads of this view, and also
    // known as the latest in blocks.
    return new View(heads.view(), latest.version());
  }

  /** The samples that a read sees. For one thread; any thread may close it. */
  public final class View implements AutoCloseable {
    private final HeadView inHeads;
    private final long latestVersion;

    private View(HeadView inHeads, long latestVersion) {
      this.inHeads = inHeads;
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
      LatestInBlocks.Entry known = latest.find(series, latestVersion);
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
     * Records the latest sample of a series in blocks.
     *
     * @param time of its latest sample; if the kind is null, a time after which there is none
     * @param kind int64 or double; null if there is no sample after the time
     * @param value an int64, or the bits of a double
     */
    public void learnLatest(int series, long time, @Nullable Kind kind, long value) {
      latest.learn(series, new LatestInBlocks.Entry(time, kind, value), latestVersion);
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
      inHeads.read(series, times, into);
    }

    /** Releases the heads. Idempotent. */
    @Override
    public void close() {
      inHeads.close();
    }
  }

  /** Returns the buckets that may have blocks with samples in a range, in ascending order. */
  public List<Long> buckets(TimeRange times) {
    return blocks.buckets(times);
  }

  public boolean isClosed() {
    return heads.isClosed();
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
    heads.forEach(action);
  }

  /** Returns metrics by name. */
  public Map<String, Double> figures() {
    Map<String, Double> figures = new TreeMap<>();
    heads.addFigures(figures);
    sealer.addFigures(figures);
    figures.put("journal_queued_bytes", (double) writer.queuedBytes());
    figures.put("blocks_sealed_bytes_total", (double) blocks.sealedBytes());
    figures.put("blocks_merged_bytes_total", (double) blocks.mergedBytes());
    return figures;
  }

  /** Seals everything as far as the store permits, and closes the tables. */
  @Override
  public void close() {
    heads.close();
    writer.close();
    sealer.stop();
    tables.forEach(Table::close);
  }
}
