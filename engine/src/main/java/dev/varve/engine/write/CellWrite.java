package dev.varve.engine.write;

import com.dynatrace.hash4j.hashing.HashValue128;
import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.home.ClockTable;
import dev.varve.engine.home.MarkerTable.Marker;
import dev.varve.engine.home.MarkerTable.Written;
import dev.varve.engine.periods.LateWrites;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.tables.Applier;
import dev.varve.engine.tables.Applier.Rejected;
import dev.varve.engine.write.Destination.Outcome;
import dev.varve.engine.write.GatheredBatch.Noted;
import dev.varve.layout.RefusedException;
import dev.varve.model.Attribute;
import dev.varve.model.SampleGroup;
import dev.varve.model.TimeRange;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encodes one batch into cells and applies them: first the catalog, then the layout's index, then
 * the samples. Used once, by one thread.
 */
final class CellWrite {
  private static final Logger LOG = LoggerFactory.getLogger(CellWrite.class);

  private final OpenDataset dataset;
  private final SeriesCache series;
  private final TableWriters tables;
  private final IndexCells index;
  private final Applier home;
  private final @Nullable Companions companions;
  private final WriteStop stopped;
  private final GatheredBatch batch;
  private final SeriesNotes notes;
  private final DeletedTimes deletedTimes;
  private final List<Written> written = new ArrayList<>(0);
  private final List<HashValue128> newIndexCells = new ArrayList<>(0);

  /** The cells of the batch in each layout, by its slot. */
  private final @Nullable LayoutEdits[] edits;

  CellWrite(CellDestination into, GatheredBatch batch) {
    this.dataset = into.dataset();
    this.series = into.series();
    this.tables = into.tables();
    this.index = into.index();
    this.home = into.home();
    this.companions = into.companions();
    this.stopped = into.stopped();
    this.batch = batch;
    this.notes = new SeriesNotes(dataset);
    this.deletedTimes = new DeletedTimes(dataset);
    this.edits = new @Nullable LayoutEdits[dataset.periods().slots()];
  }

  /**
   * Writes the batch.
   *
   * @throws WriteFailedException if a store failed
   * @throws OverloadedException if it has to wait for too much; nothing is written then
   */
  Outcome run() {
    deletedTimes.await(batch.parts());
    try {
      return companions == null ? runAlone() : runTogether(companions);
    } finally {
      for (LayoutEdits used : edits) {
        if (used != null) {
          tables.giveBack(used);
        }
      }
    }
  }

  private Outcome runAlone() {
    tables.writing().lock();
    try {
      stopped.ensureNone();
      if (!isPlaced()) {
        return Outcome.MISPLACED;
      }
      deletedTimes.ensureNone(batch.parts());
      encode();
      try {
        if (!applyAlone()) {
          return Outcome.KEY_REJECTED;
        }
        index.remember(newIndexCells);
        return Outcome.WRITTEN;
      } finally {
        noteLate();
      }
    } finally {
      tables.writing().unlock();
    }
  }

  /**
   * Returns whether all periods and names are what they were when the batch was sorted. They change
   * while nobody writes.
   */
  private boolean isPlaced() {
    return batch.parts().stream()
            .allMatch(part ->
                dataset.periods().isCurrent(part.period()) && series.isCurrent(part.series()))
        && batch.attributes().stream().allMatch(noted -> series.isCurrent(noted.series()));
  }

  /**
   * Records the times that were written, or may have been, for a conversion that is copying them.
   */
  private void noteLate() {
    LateWrites late = dataset.periods().lateWrites();
    if (late != null) {
      for (Part part : batch.parts()) {
        // From the index: another write may replace the cached number by the one it read before.
        int number = dataset.index().find(part.series().identity());
        late.add(number, TimeRange.closed(part.first(), part.last()));
      }
    }
  }

  /** Applies everything; the last edits are synced, and with them all that precede. */
  private boolean applyAlone() {
    if (!notes.apply(home)) {
      return false;
    }
    LayoutEdits last = null;
    int lastTable = 0;
    for (LayoutEdits of : edits) {
      if (of != null && !applyIndex(of)) {
        return false;
      }
      for (int table = 0; of != null && table < of.tables(); table++) {
        if (!of.data(table).isEmpty()) {
          if (last != null) {
            applyData(last, lastTable, dataset.earlier());
          }
          last = of;
          lastTable = table;
        }
      }
    }
    if (last != null && !applyData(last, lastTable, Durability.SYNCED)) {
      dataset.marks().sync();
    }
    return true;
  }

  private void encode() {
    if (batch.isEmpty()) {
      return;
    }
    long unit = dataset.periods().stampUnit();
    Set<Part> again = unit == 1 ? Set.of() : partsOfKnownKeys();
    int stamps = batch.attributes().size() + again.size() * (int) unit;
    for (Part part : batch.parts()) {
      stamps += part.group().size();
    }
    long stamp = batch.stamp() == 0 ? dataset.stamps(stamps) : batch.stamp();
    dataset.marks().reach(stamp + stamps, ClockTable.MARK_AHEAD_MICROS);
    for (Part part : batch.parts()) {
      stamp = again.contains(part) ? Math.ceilDiv(stamp, unit) * unit : stamp;
      encode(part, stamp);
      if (part.accepted() > 0) {
        notes.add(part, stamp);
      }
      stamp += part.group().size();
    }
    for (Noted attribute : batch.attributes()) {
      encode(attribute, stamp++);
    }
  }

  /** Returns the parts whose key an earlier part has: the two must not share cell times. */
  private Set<Part> partsOfKnownKeys() {
    Set<SeriesIdentity> keys = new HashSet<>();
    Set<Part> again = new HashSet<>();
    for (Part part : batch.parts()) {
      if (!keys.add(part.series().identity())) {
        again.add(part);
      }
    }
    return again;
  }

  private void encode(Part part, long stamp) {
    if (part.period().hasCompanions()) {
      encodeIntoAll(part, stamp);
      return;
    }
    LayoutEdits into = edits(part.period().primary());
    into.refusals(part);
    encode(part, part.group(), stamp, into);
  }

  private static void encode(Part part, SampleGroup group, long stamp, LayoutEdits into) {
    PlacedLayout layout = into.layout();
    layout.layout().encode(part.series().binding(layout), group, stamp, into);
  }

  /** Encodes a part into all layouts. A value that one of them refuses goes into none. */
  private void encodeIntoAll(Part part, long stamp) {
    RefusedValues refused = new RefusedValues(part.group());
    List<LayoutEdits> trial = new ArrayList<>();
    for (PlacedLayout layout : part.period().layouts()) {
      LayoutEdits edits = tables.take(layout);
      trial.add(edits);
      edits.refusals(refused);
      encode(part, part.group(), stamp, edits);
    }
    for (LayoutEdits edits : trial) {
      if (refused.isEmpty()) {
        edits(edits.layout()).addAll(edits);
      }
      tables.giveBack(edits);
    }
    refused.tell(part);
    SampleGroup rest =
        refused.isEmpty() ? null : SampleSelection.without(part.group(), refused.indexes());
    if (rest != null) {
      for (PlacedLayout layout : part.period().layouts()) {
        encode(part, rest, stamp, edits(layout));
      }
    }
    if (part.accepted() > 0) {
      TimeRange times = TimeRange.closed(part.first(), part.last());
      written.add(new Written(part.period().index(), part.series().key(), times));
    }
  }

  private void encode(Noted noted, long stamp) {
    Attribute attribute = noted.attribute();
    try {
      refuseWhileConverting(attribute);
      encodeIntoLayouts(noted, stamp);
      notes.addAttribute(noted.series(), attribute.time(), stamp);
    } catch (RefusedException e) {
      batch.tally().refuse(1, attribute.key(), attribute.name(), attribute.time(), e.refusal());
    }
  }

  /** Called with the lock of writers, so that no conversion begins before the cells are written. */
  private void refuseWhileConverting(Attribute attribute) {
    if (dataset.periods().isConverting()) {
      throw new RefusedException(
          "blocks.attribute",
          "attribute '%s': dataset '%s' is being converted into layout 'blocks', which holds samples alone"
              .formatted(attribute.name(), dataset.name()));
    }
  }

  /** Encodes an attribute into the primary, which must hold it, and companions that can. */
  private void encodeIntoLayouts(Noted noted, long stamp) {
    Period period = noted.period();
    Attribute attribute = noted.attribute();
    for (PlacedLayout layout : period.layouts()) {
      if (layout == period.primary() || layout.layout().domain().attributes()) {
        layout.layout().encode(noted.series().binding(layout), attribute, stamp, edits(layout));
      }
    }
    if (period.hasCompanions()) {
      Long time = attribute.time();
      TimeRange times = time == null ? TimeRange.ALL : TimeRange.closed(time, time);
      written.add(new Written(period.index(), noted.series().key(), times));
    }
  }

  private LayoutEdits edits(PlacedLayout layout) {
    LayoutEdits known = edits[layout.slot()];
    if (known == null) {
      known = tables.take(layout);
      edits[layout.slot()] = known;
    }
    return known;
  }

  /**
   * Applies the index of a layout. Only cells that the store has taken become {@link
   * #newIndexCells}: the write goes on without those that did not reach a companion.
   */
  private boolean applyIndex(LayoutEdits of) {
    for (int table = 0; table < of.tables(); table++) {
      List<HashValue128> hashes = new ArrayList<>(0);
      MutationBatch unknown = index.unknown(of.layout(), table, of.index(table), hashes);
      if (!unknown.isEmpty()
          && !tables.apply(of.layout(), table, unknown, Durability.ORDERED).isEmpty()) {
        return false;
      }
      newIndexCells.addAll(hashes);
    }
    return true;
  }

  /**
   * Applies the samples of a table, and refuses those that the store rejects.
   *
   * @return whether the store rejected nothing
   */
  private boolean applyData(LayoutEdits of, int table, Durability durability) {
    List<Rejected> rejected =
        tables.apply(of.layout(), table, of.data(table), durability, batch.lifetime());
    for (Rejected row : rejected) {
      TableWriters.refuse(of.layout(), row, batch.tally());
    }
    return rejected.isEmpty();
  }

  /**
   * Writes into primaries and companions after a marker. Such writes run one at a time: two layouts
   * that received two batches in different order would differ for ever.
   */
  private Outcome runTogether(Companions companions) {
    companions.lock();
    tables.writing().lock();
    try {
      stopped.ensureNone();
      deletedTimes.ensureNone(batch.parts());
      encode();
      List<Marker> markers = dataset.home().markers().of(written, dataset.clock()::next);
      companions.put(markers);
      if (!applyPrimaries(companions, markers)) {
        return Outcome.KEY_REJECTED;
      }
      if (applyCompanions()) {
        companions.remove(markers);
      }
      index.remember(newIndexCells);
    } finally {
      tables.writing().unlock();
      companions.unlock();
    }
    dataset.marks().sync();
    return Outcome.WRITTEN;
  }

  private boolean applyPrimaries(Companions companions, List<Marker> markers) {
    try {
      boolean applied = notes.apply(home) && applyPrimaries();
      companions.ended(markers);
      return applied;
    } catch (WriteFailedException e) {
      if (!e.unknown()) {
        companions.ended(markers);
      }
      throw e;
    }
  }

  private boolean applyPrimaries() {
    for (LayoutEdits of : edits) {
      if (of == null || !of.layout().isPrimary()) {
        continue;
      }
      if (!applyIndex(of)) {
        return false;
      }
      for (int table = 0; table < of.tables(); table++) {
        applyData(of, table, Durability.ORDERED);
      }
    }
    return true;
  }

  /**
   * Applies companions. Cells that do not reach a companion now are repaired later from the
   * primary.
   */
  private boolean applyCompanions() {
    boolean complete = true;
    for (LayoutEdits of : edits) {
      if (of != null && !of.layout().isPrimary()) {
        complete &= applyCompanion(of);
      }
    }
    return complete;
  }

  private boolean applyCompanion(LayoutEdits of) {
    try {
      boolean complete = applyIndex(of);
      for (int table = 0; complete && table < of.tables(); table++) {
        complete = tables.apply(of.layout(), table, of.data(table), Durability.ORDERED).isEmpty();
      }
      return complete;
    } catch (WriteFailedException e) {
      LOG.warn(
          "dataset '{}': a write did not reach companion '{}' and will be retried: {}",
          dataset.name(),
          of.layout().name(),
          e.getMessage());
      return false;
    }
  }
}
