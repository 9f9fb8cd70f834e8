package dev.varve.engine.delete;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.catalog.Matches;
import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.home.DeleteTable.DeleteRecord;
import dev.varve.engine.home.IdentityTable.Conversion;
import dev.varve.engine.pending.DeleteFilter;
import dev.varve.engine.pending.HiddenSamples;
import dev.varve.engine.pending.PendingDeletes;
import dev.varve.engine.pending.RemovalTally;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.Period.Storage.Blocks;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.progress.DeletionProgress;
import dev.varve.engine.progress.DeletionProgress.State;
import dev.varve.engine.read.DatasetReader;
import dev.varve.engine.read.RowWalk;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.write.DatasetWriter;
import dev.varve.engine.write.TableWriters;
import dev.varve.model.Bytes;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.store.Power;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The removal of one delete's samples from all layouts of all periods. It repeats its pass over the
 * rows until it finds none, and then removes the record. Interrupted at any point, it starts again.
 */
final class DeleteJob implements Deletion {
  /** Number of series that are held in memory and whose rows are planned together. */
  private static final int SERIES_AT_ONCE = 4096;

  private final OpenDataset dataset;
  private final DatasetReader reader;
  private final TableWriters tables;
  private final DeleteRecord one;
  private final RemovalTally tally = new RemovalTally();
  private final SeriesRemoval seriesRemoval;
  private final CountDownLatch ended = new CountDownLatch(1);

  private final EarlierRemovals earlier;

  /** The rows that cells were removed from, since the start of the process. */
  private final Map<PlacedLayout, TouchedRows> touched = new HashMap<>();

  /** Whether samples were removed from blocks, since the start of the process. */
  private boolean inBlocks;

  /** Whether the record is gone: nothing may be removed any more. Guarded by this. */
  private boolean recordGone;

  /** From where on blocks may have copies of an interrupted conversion, which nobody reads. */
  private long copiedFrom = Long.MAX_VALUE;

  private volatile State state = State.WAITING;
  private volatile @Nullable String problem;

  /**
   * @param earlier the removals that an earlier process may have made for this delete
   * @param searching held while rows are searched for series
   * @param records may name the series that are removed
   */
  DeleteJob(
      OpenDataset dataset,
      DatasetReader reader,
      DatasetWriter writer,
      DeleteRecord one,
      EarlierRemovals earlier,
      Lock searching,
      SideRecords records) {
    this.dataset = dataset;
    this.reader = reader;
    this.tables = writer.tables();
    this.one = one;
    this.earlier = earlier;
    this.seriesRemoval =
        new SeriesRemoval(dataset, reader, writer, tally, earlier, searching, records);
  }

  DeleteRecord of() {
    return one;
  }

  /**
   * Removes the samples, then the series of which nothing is left, and then the record.
   *
   * @param closing polled for each row; true interrupts the removal
   */
  void run(BooleanSupplier closing) {
    BooleanSupplier stopped = () -> closing.getAsBoolean() || state == State.CANCELLED;
    if (!begin()) {
      return;
    }
    Conversion conversion = dataset.home().identity().conversion();
    copiedFrom = conversion == null ? Long.MAX_VALUE : conversion.copiedFrom();
    long before;
    do {
      before = tally.samples();
      tally.begin();
      pass(stopped);
    } while (tally.samples() > before && !stopped.getAsBoolean());
    if (!stopped.getAsBoolean()) {
      dataset.marks().sync();
      reclaim();
      seriesRemoval.run(one.selector(), stopped);
    }
    if (!stopped.getAsBoolean()) {
      end(State.DONE);
    }
    // A cancellation that failed to reclaim the record leaves that to this thread.
    finishIfRecordGone();
  }

  /**
   * Takes the removed samples out of the files of stores that keep files here. No record tells from
   * which rows an earlier process removed cells.
   */
  private void reclaim() {
    periods()
        .flatMap(period -> period.layouts().stream())
        .map(PlacedLayout::dataTable)
        .forEach(table -> earlier.rewriteOnce(table, () -> reclaim(table)));
    touched.forEach((layout, rows) ->
        layout
            .dataTable()
            .power(Power.Reclaim.class)
            .ifPresent(power -> power.reclaim(rows.first(), rows.last().successor())));
    periods().filter(Period::isInBlocks).map(Period::tiers).forEach(this::reclaim);
  }

  private void reclaim(BlockTiers tiers) {
    if (!earlier.rewriteOnce(tiers, tiers::reclaimDeleted) && inBlocks) {
      tiers.reclaimDeleted();
    }
  }

  private Stream<Period> periods() {
    return dataset.periods().all().stream().filter(period -> stored(period).overlaps(one.times()));
  }

  /** Returns the times of which the tables of a period may have samples, copies included. */
  private TimeRange stored(Period period) {
    TimeRange stored = period.stored();
    return period.isInBlocks()
        ? new TimeRange(Math.min(copiedFrom, stored.from()), stored.to())
        : stored;
  }

  private void pass(BooleanSupplier stopped) {
    Iterator<Match> all =
        dataset.index().match(one.selector(), null, Kind.ALL, ReadGuard.NONE).stream().iterator();
    List<Match> some = new ArrayList<>();
    while (all.hasNext() && !stopped.getAsBoolean()) {
      some.add(all.next());
      if (some.size() == SERIES_AT_ONCE || !all.hasNext()) {
        some.sort(Comparator.comparing(Match::key, Matches.ORDER));
        remove(some, stopped);
        some.clear();
      }
    }
  }

  private void remove(List<Match> series, BooleanSupplier stopped) {
    for (Period period : periods().toList()) {
      if (period.storage() instanceof Blocks(BlockTiers blocks)) {
        remove(blocks, one.times().intersect(stored(period)), series, stopped);
      }
      for (PlacedLayout layout : period.layouts()) {
        remove(period, layout, series, stopped);
      }
    }
  }

  private void remove(
      Period period, PlacedLayout layout, List<Match> series, BooleanSupplier stopped) {
    if (stopped.getAsBoolean()) {
      return;
    }
    TimeRange times = one.times().intersect(period.stored());
    CellRemoval removal =
        new CellRemoval(dataset, tables, layout, one, tally, stopped, this::whileRecorded);
    try (RowWalk walk = reader.jobs().pieces(period, layout, series, times)) {
      removal.run(walk);
    } finally {
      TouchedRows rows = removal.touched();
      if (rows != null) {
        touched.merge(layout, rows, TouchedRows::plus);
      }
    }
  }

  private void remove(
      BlockTiers blocks, TimeRange times, List<Match> series, BooleanSupplier stopped) {
    DeleteFilter deleted = PendingDeletes.filter(one, dataset.index());
    Map<Integer, HiddenSamples> hidden = new HashMap<>();
    for (Match match : series) {
      for (String field : match.fields()) {
        int number = blocks.numbers().find(match.series(), field);
        HiddenSamples ofField = deleted.of(match.series(), field);
        if (number != SeriesNumbers.NONE && ofField != null) {
          hidden.put(number, ofField);
        }
      }
    }
    long before = tally.samples();
    blocks.remove(times, hidden, tally, stopped);
    inBlocks |= tally.samples() > before;
  }

  /**
   * Runs an action unless the record is gone. {@link #cancel} waits until it has ended: samples
   * that are accepted once the record is gone must stay.
   */
  private synchronized void whileRecorded(Runnable action) {
    if (!recordGone) {
      action.run();
    }
  }

  /** Returns whether there is anything to remove. */
  private synchronized boolean begin() {
    finishIfRecordGone();
    if (recordGone) {
      return false;
    }
    state = State.REMOVING;
    problem = null;
    return true;
  }

  private synchronized void end(State how) {
    if (!recordGone) {
      // Recorded before the record of the delete is removed: after that, only this time shows which
      // copies are older.
      dataset.home().identity().deleted(dataset.clock().systemMicros(), dataset.stamps(1));
      dataset.deletes().remove(one);
      recordGone = true;
      state = how;
      problem = null;
      dataset.periods().all().stream()
          .filter(Period::isInBlocks)
          .map(Period::tiers)
          .forEach(blocks -> blocks.countDelete(-1));
      finishIfRecordGone();
    }
  }

  /**
   * Takes the selector, which names labels, out of the files of stores that keep files here. If
   * that fails, it is retried, but nothing else: samples accepted since the record went must stay.
   */
  private synchronized void finishIfRecordGone() {
    if (recordGone && !hasEnded()) {
      reclaim(dataset.home().deletes().table());
      ended.countDown();
    }
  }

  private static void reclaim(Table table) {
    table.power(Power.Reclaim.class).ifPresent(power -> power.reclaim(Bytes.EMPTY, null));
  }

  /** Records why the removal was interrupted, for its observers. */
  synchronized void failed(String reason) {
    if (state == State.REMOVING) {
      state = State.WAITING;
    }
    problem = reason;
  }

  boolean hasEnded() {
    return ended.getCount() == 0;
  }

  @Override
  public long id() {
    return one.stamp();
  }

  @Override
  public Selector selector() {
    return one.selector();
  }

  @Override
  public TimeRange times() {
    return one.times();
  }

  @Override
  public DeletionProgress progress() {
    return tally.progress(state, problem);
  }

  @Override
  public void cancel() {
    try {
      end(State.CANCELLED);
    } catch (StoreException e) {
      if (state != State.CANCELLED) {
        throw e;
      }
      // It is cancelled, and the thread that runs it finishes it.
      problem = e.getMessage();
    }
  }

  @Override
  public boolean await(Duration most) throws InterruptedException {
    return ended.await(most.toNanos(), TimeUnit.NANOSECONDS);
  }
}
