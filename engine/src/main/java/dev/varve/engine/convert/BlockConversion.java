package dev.varve.engine.convert;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.home.IdentityTable.Conversion;
import dev.varve.engine.pending.HiddenSamples;
import dev.varve.engine.pending.RemovalTally;
import dev.varve.engine.periods.LateWrites;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.progress.ConversionProgress;
import dev.varve.engine.read.DatasetReader;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.write.BlockCopier.Room;
import dev.varve.engine.write.DatasetWriter;
import dev.varve.layout.block.BlockKey;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.store.Power;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Converts the cells of all periods before the last one into blocks of that period. Used once, by
 * one thread, while others read and write.
 *
 * <p>It goes back in time by slices of whole days. It copies a slice, compares the copies with the
 * cells, and moves the border between cells and blocks to the start of the slice while nobody
 * writes. Until then readers see the cells alone, and samples that are written into the slice
 * meanwhile are copied again. A delete that is accepted meanwhile makes it drop the copies and
 * begin the slice again. Cells are removed once blocks answer for everything and the last read of
 * them has ended.
 *
 * <p>The home records the border and where copies may be that nobody reads. A run that follows an
 * interrupted one drops these and continues.
 */
public final class BlockConversion {
  private static final Logger LOG = LoggerFactory.getLogger(BlockConversion.class);

  /** Number of times that late writes are copied beside writers before writers have to wait. */
  private static final int ROUNDS = 5;

  /** Number of series whose copies are dropped at a time. */
  private static final int SERIES_AT_ONCE = 4096;

  private static final int DAYS_MAX = 256;

  /** Time of a slice below which the next one is longer, and above which it is shorter. */
  private static final Duration SHORT = Duration.ofSeconds(2);

  private static final Duration LONG = Duration.ofSeconds(20);

  private static final Duration SEAL_WAIT_MAX = Duration.ofMillis(500);

  /** Maximum time that copies are sealed while writers wait. */
  private static final Duration SEAL_ALONE_MAX = Duration.ofSeconds(5);

  /** Maximum time that the record of a border is written again while writers wait. */
  private static final Duration SETTLE_MAX = Duration.ofSeconds(5);

  private static final Duration SETTLE_PAUSE = Duration.ofMillis(100);

  private final OpenDataset dataset;
  private final DatasetReader reader;
  private final DatasetWriter writer;
  private final BlockTiers tiers;
  private final SliceCopy copy;
  private final Consumer<ConversionProgress> progress;
  private final BooleanSupplier stopped;
  private int days = 1;
  private boolean writersWait;

  /** How many deletes had been accepted when the slice was begun. */
  private long deletes;

  /** The outcome of an attempt to move the border. */
  private enum Move {
    DONE,
    /** Something was written into the slice since it was copied. */
    LATE,
    /** A delete was accepted since the slice was begun. */
    DELETED
  }

  /**
   * @param progress receives progress from time to time, on the calling thread
   * @param stopped polled from time to time; true ends the run, and another one can continue
   * @throws QueryRefusedException if the dataset cannot be converted; the message says why
   */
  public BlockConversion(
      OpenDataset dataset,
      DatasetReader reader,
      DatasetWriter writer,
      Consumer<ConversionProgress> progress,
      BooleanSupplier stopped) {
    refuseUnlessPossible(dataset);
    this.dataset = dataset;
    this.reader = reader;
    this.writer = writer;
    this.progress = progress;
    this.stopped = stopped;
    this.tiers = last().tiers();
    this.copy = new SliceCopy(dataset, reader, writer.copier(), this::tell, this::mayNotCopy);
  }

  private static void refuseUnlessPossible(OpenDataset dataset) {
    List<Period> periods = dataset.periods().all();
    String name = dataset.name();
    if (dataset.config().attached() != null) {
      throw new QueryRefusedException(
          "dataset '%s' is attached to foreign tables, whose cells stay: use 'varve migrate'"
              .formatted(name));
    }
    if (!periods.getLast().isInBlocks()) {
      throw new QueryRefusedException(
          "the last period of dataset '%s' has layout '%s': declare a period with layout 'blocks' first, and convert once it has begun"
              .formatted(name, periods.getLast().layoutName()));
    }
    long begins = periods.getLast().times().from();
    if (begins > dataset.now()) {
      throw new QueryRefusedException(
          "the period in blocks of dataset '%s' begins at %s, which is in the future: convert once it has begun"
              .formatted(name, dataset.resolution().instant(begins)));
    }
    for (Period period : periods.subList(0, periods.size() - 1)) {
      refuseWhatIsLost(name, period);
    }
  }

  private static void refuseWhatIsLost(String dataset, Period period) {
    if (period.isInBlocks() && !period.times().isEmpty()) {
      throw new QueryRefusedException(
          "dataset '%s' has several periods in blocks, which cannot be joined".formatted(dataset));
    }
    if (period.hasCompanions()) {
      throw new QueryRefusedException(
          "dataset '%s' has a period with the companion '%s', which blocks do not have: use 'varve migrate'"
              .formatted(dataset, period.layouts().get(1).name()));
    }
    if (period.domain().versions()) {
      throw new QueryRefusedException(
          "layout '%s' of dataset '%s' keeps earlier versions of samples, which blocks would lose: use 'varve migrate' if the last ones suffice"
              .formatted(period.layoutName(), dataset));
    }
  }

  /** Called while no attribute is accepted, so that those that it finds are all. */
  private void refuseAttributes() {
    boolean mayHaveSome =
        dataset.periods().all().stream()
            .anyMatch(period -> !period.isInBlocks() && period.domain().attributes());
    if (!mayHaveSome) {
      return;
    }
    try (Stream<Attribute> all = reader.attributesOfAll()) {
      Optional<Attribute> one = all.findFirst();
      if (one.isPresent()) {
        throw new QueryRefusedException(
            "dataset '%s' has attributes, such as '%s' of %s, which blocks would lose"
                .formatted(dataset.name(), one.get().name(), one.get().key()));
      }
    }
  }

  /**
   * Converts until nothing is left or it is stopped. No attribute is accepted into cells meanwhile.
   *
   * @throws QueryRefusedException if there are attributes, which blocks would lose
   * @throws WriteFailedException if a store failed
   * @throws dev.varve.engine.error.CorruptDataException if copies differ from the cells again and
   *     again
   */
  public ConversionProgress run() {
    writer.ensureNotStopped();
    alone(() -> converting(true));
    try {
      refuseAttributes();
      return convert();
    } finally {
      alone(() -> converting(false));
    }
  }

  private boolean converting(boolean now) {
    dataset.periods().converting(now);
    return true;
  }

  private ConversionProgress convert() {
    dropCopies();
    while (hasCells() && !stopped.getAsBoolean()) {
      convertSlice();
      tell();
    }
    boolean emptied = !hasCells() && empty();
    ConversionProgress end = now(emptied);
    progress.accept(end);
    return end;
  }

  private Period last() {
    return dataset.periods().all().getLast();
  }

  private long border() {
    return last().times().from();
  }

  private boolean hasCells() {
    return border() > Long.MIN_VALUE;
  }

  private void tell() {
    if (!writersWait) {
      progress.accept(now(false));
    }
  }

  private ConversionProgress now(boolean done) {
    TimeRange extent = dataset.index().extent();
    return new ConversionProgress(
        copy.samples(),
        copy.again(),
        extent.isEmpty() ? null : instant(extent.from()),
        hasCells() ? instant(border()) : null,
        done);
  }

  private Instant instant(long time) {
    return dataset.resolution().instant(time);
  }

  private void convertSlice() {
    awaitNoDelete();
    deletes = dataset.deletes().added();
    long start = System.nanoTime();
    TimeRange slice = nextSlice();
    record(border(), slice.from(), false);
    LateWrites late = new LateWrites(slice);
    alone(() -> note(late));
    Move move = Move.LATE;
    try {
      Selector all = new Selector(List.of());
      copy.run(slice, dataset.index().match(all, slice, Kind.ALL, ReadGuard.NONE));
      for (int round = 0; move == Move.LATE && !stopped.getAsBoolean(); round++) {
        copyAgain(slice, late);
        move = round < ROUNDS ? alone(() -> move(slice, late)) : lastRound(slice, late);
      }
    } finally {
      alone(() -> note(null));
    }
    if (move == Move.DELETED) {
      dropCopies();
    }
    adaptTo(System.nanoTime() - start);
  }

  /**
   * Runs an action while nobody writes. It reports no progress, because its receiver may be slow.
   */
  private <T> T alone(Supplier<T> action) {
    return writer.alone(() -> {
      writersWait = true;
      try {
        return action.get();
      } finally {
        writersWait = false;
      }
    });
  }

  private boolean note(@Nullable LateWrites writes) {
    dataset.periods().note(writes);
    return true;
  }

  /**
   * Returns whether nothing more of the slice may be copied. What was read before a delete was
   * accepted may contain its samples, and its job does not look for copies that are made later.
   */
  private boolean mayNotCopy() {
    return stopped.getAsBoolean() || isDeleted();
  }

  /** Returns whether a delete was accepted since the slice was begun. */
  private boolean isDeleted() {
    return dataset.deletes().added() != deletes;
  }

  /** Waits until no delete is pending: one may have read periods before the border moves. */
  private void awaitNoDelete() {
    while (!dataset.deletes().isEmpty() && !stopped.getAsBoolean()) {
      dataset.deletes().awaitChange(dataset.deletes().all(), SEAL_WAIT_MAX);
    }
  }

  /** Returns the next slice back in time, of whole days; the last one has no beginning. */
  private TimeRange nextSlice() {
    long to = border();
    long earliest = Math.max(dataset.index().extent().from(), dataset.oldestKept());
    long lastDay = BlockKey.bucket(to - 1, dataset.resolution());
    long from = BlockKey.times(lastDay, dataset.resolution()).from();
    long more = (days - 1) * BlockKey.width(dataset.resolution());
    from = from < Long.MIN_VALUE + more ? Long.MIN_VALUE : from - more;
    return new TimeRange(from <= earliest ? Long.MIN_VALUE : from, to);
  }

  private void adaptTo(long nanos) {
    if (nanos < SHORT.toNanos()) {
      days = Math.min(DAYS_MAX, 2 * days);
    } else if (nanos > LONG.toNanos()) {
      days = Math.max(1, days / 2);
    }
  }

  /** Copies late writes again, and makes all copies durable. */
  private void copyAgain(TimeRange slice, LateWrites late) {
    BitSet written = late.take();
    if (!written.isEmpty()) {
      copy.again(slice, written);
    }
    seal();
  }

  /**
   * Copies late writes while writers wait, and moves the border. It takes room for copies before
   * writers have to wait, in the order of every write: they hold theirs while they wait. It lets
   * them go on if the copies cannot be made or sealed soon, for example because the store fails.
   */
  private Move lastRound(TimeRange slice, LateWrites late) {
    try (Room room = copy.enter()) {
      return alone(() -> {
        copyAgainWithin(room, slice, late);
        return tiers.seal(SEAL_ALONE_MAX) ? move(slice, late) : Move.LATE;
      });
    } catch (OverloadedException e) {
      SliceCopy.pause(e);
      return Move.LATE;
    }
  }

  private void copyAgainWithin(Room room, TimeRange slice, LateWrites late) {
    BitSet written = late.take();
    try {
      copy.againWithin(room, slice, written);
    } catch (OverloadedException e) {
      late.putBack(written);
      throw e;
    }
  }

  private void seal() {
    while (!tiers.seal(SEAL_WAIT_MAX) && !stopped.getAsBoolean()) {
      if (tiers.isClosed()) {
        throw new WriteFailedException("dataset '%s' is closed".formatted(dataset.name()), false);
      }
      tell();
    }
  }

  /** Moves the border to the start of a slice, while nobody writes. */
  private Move move(TimeRange slice, LateWrites late) {
    if (isDeleted() || !dataset.deletes().isEmpty()) {
      return Move.DELETED;
    }
    if (!late.isEmpty() || stopped.getAsBoolean()) {
      return Move.LATE;
    }
    recordBorder(slice.from());
    dataset.periods().answerFromBlocks(last().index(), slice.from());
    return Move.DONE;
  }

  /**
   * Records that blocks answer from an instant on, and returns once that is certain. If a store
   * does not tell whether it applied the record, it is written again until one attempt succeeds: a
   * read would not do, because a write that timed out may be applied after it. Without success in
   * time, nobody may write any more. Samples and deletes would go where the next start, which
   * follows the home, does not look for them.
   *
   * @throws StoreException if the record is not applied
   * @throws WriteFailedException if that is unknown
   */
  private void recordBorder(long from) {
    long end = System.nanoTime() + SETTLE_MAX.toNanos();
    boolean unknown = false;
    while (true) {
      try {
        record(from, from, false);
        return;
      } catch (StoreException e) {
        unknown |= e.unknown();
        if (!unknown) {
          throw e;
        }
        if (System.nanoTime() > end || Thread.currentThread().isInterrupted()) {
          throw stopWriting(e);
        }
        LockSupport.parkNanos(SETTLE_PAUSE.toNanos());
      }
    }
  }

  private WriteFailedException stopWriting(StoreException failure) {
    String reason =
        "dataset '%s': it is unknown whether the home has recorded how far cells are converted into blocks, so nothing is written or deleted any more: restart the server once its store works (%s)"
            .formatted(dataset.name(), failure.getMessage());
    if (writer.stop(reason)) {
      LOG.error(reason);
    }
    return new WriteFailedException(reason, true);
  }

  private void record(long blocksFrom, long copiedFrom, boolean emptied) {
    Conversion state = new Conversion(last().index(), blocksFrom, copiedFrom, emptied);
    dataset.home().identity().conversion(state, dataset.stamps(1));
  }

  /** Drops copies that nobody reads, of an earlier run or of a slice that has to begin again. */
  private void dropCopies() {
    Conversion state = dataset.home().identity().conversion();
    if (state == null || state.copiedFrom() >= state.blocksFrom()) {
      return;
    }
    seal();
    TimeRange times = new TimeRange(state.copiedFrom(), state.blocksFrom());
    HiddenSamples all = HiddenSamples.all(times);
    int size = tiers.numbers().size();
    for (int from = 0; from < size && !stopped.getAsBoolean(); from += SERIES_AT_ONCE) {
      Map<Integer, HiddenSamples> some = new HashMap<>();
      for (int number = from; number < Math.min(size, from + SERIES_AT_ONCE); number++) {
        if (tiers.numbers().key(number) >= 0) {
          some.put(number, all);
        }
      }
      tiers.remove(times, some, new RemovalTally(), stopped);
    }
    if (!stopped.getAsBoolean()) {
      record(state.blocksFrom(), state.blocksFrom(), false);
    }
  }

  /**
   * Removes all cells once nobody reads them.
   *
   * @return whether they are removed
   */
  private boolean empty() {
    Conversion state = dataset.home().identity().conversion();
    if (state == null || state.emptied()) {
      return true;
    }
    if (!dataset.periods().reads().awaitEnd(stopped)) {
      return false;
    }
    List<Period> all = dataset.periods().all();
    for (Period period : all.subList(0, all.size() - 1)) {
      period.layouts().forEach(this::empty);
    }
    record(Long.MIN_VALUE, Long.MIN_VALUE, true);
    dataset.periods().emptied();
    return true;
  }

  private void empty(PlacedLayout layout) {
    for (int of = 0; of < layout.layout().tables().size(); of++) {
      Table table = layout.table(of);
      table.power(Power.RangeDelete.class).orElseThrow().deleteRows(Bytes.EMPTY, null);
      table.power(Power.Reclaim.class).ifPresent(power -> power.reclaim(Bytes.EMPTY, null));
    }
  }
}
