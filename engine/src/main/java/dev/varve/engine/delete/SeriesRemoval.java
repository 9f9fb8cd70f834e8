package dev.varve.engine.delete;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.home.IdentityTable.NumbersFrom;
import dev.varve.engine.pending.RemovalTally;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.Period.Storage.Blocks;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.read.DatasetReader;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.write.DatasetWriter;
import dev.varve.layout.Binding;
import dev.varve.layout.Directory;
import dev.varve.layout.Directory.IndexEdits;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.store.Power;
import dev.varve.store.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Removes the series of a delete of which nothing is left, samples or attributes: from the catalog,
 * from the layouts' indexes and from the home. Used by one thread.
 *
 * <p>A series is looked at again and removed while nobody writes. A write that comes later finds
 * that the catalog lacks the series and adds it, so no sample is without its series. The indexes go
 * before the home: a series that a crash leaves in the home is found by the same delete after the
 * restart.
 *
 * <p>In a store that several servers share, another server may write samples of a series whose
 * labels it believes to be stored. In attached tables other programs do. There nothing is removed.
 *
 * <p>A search for series, which may have read the rows of a series before they were deleted, adds
 * it to the catalog again. So the removal waits for its end, and none begins before the removal
 * ends.
 */
final class SeriesRemoval {
  /** Number of series that are removed together, while writers wait. */
  private static final int SERIES_AT_ONCE = 32;

  /** Maximum number of removed labels that are gathered. */
  private static final int LABELS_MAX = 1000;

  private static final Duration SEARCH_PAUSE = Duration.ofMillis(100);

  private final OpenDataset dataset;
  private final DatasetReader reader;
  private final DatasetWriter writer;
  private final RemovalTally tally;

  private final EarlierRemovals earlier;
  private final Lock searching;
  private final SideRecords records;

  /** Labels of removed series that the records may have; null if there are too many. */
  private @Nullable Set<TagFilter.Equal> labels = new HashSet<>();

  /** Whether a series was removed that the records may still name. */
  private boolean named;

  /** Series that the catalog no longer has, but the tables may. */
  private final List<Match> leaving = new ArrayList<>();

  /** The rows that labels were deleted from, since the start of the process. */
  private final Map<Table, TouchedRows> touched = new HashMap<>();

  private int numbersNoted;

  SeriesRemoval(
      OpenDataset dataset,
      DatasetReader reader,
      DatasetWriter writer,
      RemovalTally tally,
      EarlierRemovals earlier,
      Lock searching,
      SideRecords records) {
    this.dataset = dataset;
    this.reader = reader;
    this.writer = writer;
    this.tally = tally;
    this.earlier = earlier;
    this.searching = searching;
    this.records = records;
    this.named = earlier.any();
  }

  /** Returns whether only this process writes to the tables and the home. */
  private boolean isAlone() {
    return dataset.config().attached() == null
        && dataset.store().isEmbedded()
        && dataset.homeStore().isEmbedded();
  }

  /**
   * Removes the series that match and have nothing left.
   *
   * @param stopped polled for each series; true interrupts the removal
   * @throws dev.varve.store.StoreException if a store fails; the removal can be repeated
   * @throws dev.varve.engine.error.WriteFailedException likewise
   */
  void run(Selector selector, BooleanSupplier stopped) {
    if (!isAlone()) {
      return;
    }
    while (!searching.tryLock()) {
      if (stopped.getAsBoolean()) {
        return;
      }
      LockSupport.parkNanos(SEARCH_PAUSE.toNanos());
    }
    try {
      removeAll(selector, stopped);
    } finally {
      searching.unlock();
    }
  }

  private void removeAll(Selector selector, BooleanSupplier stopped) {
    if (!leaving.isEmpty()) {
      writer.alone(() -> {
        finish();
        return true;
      });
    }
    Iterator<Match> all =
        dataset.index().match(selector, null, Kind.ALL, ReadGuard.NONE).stream().iterator();
    List<Match> some = new ArrayList<>();
    while (all.hasNext() && !stopped.getAsBoolean()) {
      Match whole = whole(all.next());
      if (isEmpty(whole)) {
        some.add(whole);
      }
      if (some.size() == SERIES_AT_ONCE || !all.hasNext()) {
        remove(some);
        some.clear();
      }
    }
    remove(some);
    reclaim();
    if (named) {
      if (earlier.any()) {
        // An earlier process may have removed series, whose labels are not known any more.
        selector.filters().forEach(this::note);
      }
      records.forget(labels);
      named = false;
    }
  }

  private void note(TagFilter filter) {
    switch (filter) {
      case TagFilter.Equal one -> note(one.name(), one.value());
      case TagFilter.In one -> one.values().forEach(value -> note(one.name(), value));
      default -> {
        // Keys of rows are compared with the catalog, whatever they have.
      }
    }
  }

  private void note(GroupKey key) {
    named = true;
    note(Series.NAME_LABEL, key.metric());
    key.field(Series.DEFAULT_FIELD).labels().forEach(this::note);
  }

  private void note(String label, String value) {
    Set<TagFilter.Equal> of = labels;
    if (of != null && !value.isEmpty()) {
      of.add(new TagFilter.Equal(label, value));
      labels = of.size() > LABELS_MAX ? null : of;
    }
  }

  /** Returns a key with all its fields, also those that the delete does not name. */
  private Match whole(Match match) {
    return new Match(match.series(), match.key(), dataset.index().fields(match.series()));
  }

  private boolean isEmpty(Match key) {
    for (Period period : dataset.periods().all()) {
      if (period.storage() instanceof Blocks(BlockTiers blocks) && hasBlocks(blocks, key)) {
        return false;
      }
      for (PlacedLayout layout : period.layouts()) {
        if (mayHaveCells(period, layout, key)) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean mayHaveCells(Period period, PlacedLayout layout, Match key) {
    try {
      return reader.jobs().hasCells(period, layout, key);
    } catch (QueryRefusedException e) {
      // If there is no way to read a series, it is not known to be empty, so its labels stay.
      return true;
    }
  }

  private static boolean hasBlocks(BlockTiers blocks, Match key) {
    for (String field : key.fields()) {
      int number = blocks.numbers().find(key.series(), field);
      if (number != SeriesNumbers.NONE && blocks.has(number)) {
        return true;
      }
    }
    return false;
  }

  private void remove(List<Match> some) {
    if (some.isEmpty()) {
      return;
    }
    writer.alone(() -> {
      for (Match match : some) {
        Match whole = whole(match);
        if (dataset.index().has(match.series()) && isEmpty(whole)) {
          // First in memory: if a store fails now, the next write adds the series again.
          dataset.index().remove(match.series());
          leaving.add(whole);
          note(whole.key());
        }
      }
      finish();
      return true;
    });
  }

  /** Removes the leaving series from the tables. Nobody writes meanwhile. */
  private void finish() {
    SeriesIndex index = dataset.index();
    leaving.removeIf(one -> index.has(one.series()));
    if (leaving.isEmpty()) {
      return;
    }
    writer.forgetIndexCells();
    dataset.layouts().forEach(this::removeFromIndex);
    noteNumbers();
    List<SeriesIdentity> identities =
        leaving.stream().map(one -> SeriesIdentity.of(one.key())).toList();
    dataset.home().series().delete(identities);
    identities.forEach(one -> touch(dataset.home().series().table(), Bytes.of(one.toArray())));
    tally.series(leaving.size());
    leaving.clear();
  }

  private void removeFromIndex(PlacedLayout layout) {
    Directory directory = layout.layout().directory().orElse(null);
    if (directory == null) {
      return;
    }
    Map<String, List<Binding>> byMetric = new TreeMap<>();
    for (Match one : leaving) {
      layout
          .findHeld(one.key())
          .ifPresent(binding ->
              byMetric
                  .computeIfAbsent(one.key().metric(), metric -> new ArrayList<>())
                  .add(binding));
    }
    byMetric.forEach((metric, bindings) -> {
      boolean metricGoes = dataset.index().match(Selector.metric(metric), null).size() == 0;
      for (IndexEdits edits : layout.run(directory.removal(bindings, metricGoes))) {
        writer.tables().deleteIndexCells(layout, edits.table(), edits.edits());
        for (int edit = 0; edit < edits.edits().size(); edit++) {
          touch(layout.table(edits.table()), edits.edits().cells().row(edit));
        }
      }
    });
  }

  private void touch(Table table, Bytes row) {
    touched.merge(table, TouchedRows.of(row), TouchedRows::plus);
  }

  /** Keeps the numbers that removed series had in blocks from being assigned after a restart. */
  private void noteNumbers() {
    SeriesNumbers numbers = dataset.index().numbers();
    if (numbers.size() > numbersNoted) {
      dataset
          .home()
          .identity()
          .numbersFrom(new NumbersFrom(numbers.size(), numbers.metrics()), dataset.stamps(1));
      numbersNoted = numbers.size();
    }
  }

  /** Takes the removed labels out of the files of stores that keep files here. */
  private void reclaim() {
    rewriteOnce(dataset.home().series().table());
    dataset.layouts().flatMap(layout -> layout.tables().stream()).forEach(this::rewriteOnce);
    touched.forEach((table, rows) -> reclaim(table, rows.first(), rows.last().successor()));
    if (writer.companions() != null) {
      // Markers name keys, and are removed when their writes have ended.
      Table markers = dataset.home().markers().table();
      if (!rewriteOnce(markers) && !touched.isEmpty()) {
        reclaim(markers, Bytes.EMPTY, null);
      }
    }
  }

  private boolean rewriteOnce(Table table) {
    return earlier.rewriteOnce(table, () -> reclaim(table, Bytes.EMPTY, null));
  }

  private static void reclaim(Table table, Bytes from, @Nullable Bytes to) {
    table.power(Power.Reclaim.class).ifPresent(power -> power.reclaim(from, to));
  }
}
