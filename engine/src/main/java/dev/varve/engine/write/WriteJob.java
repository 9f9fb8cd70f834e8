package dev.varve.engine.write;

import com.dynatrace.hash4j.hashing.HashValue128;
import dev.varve.engine.WriteFailedException;
import dev.varve.engine.WriteResult;
import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.home.ChangeTable;
import dev.varve.engine.home.MarkerTable.Marker;
import dev.varve.engine.home.MarkerTable.Written;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.write.Applier.Rejected;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.TimeRange;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One batch on its way into the cells. Used once, by one thread. */
final class WriteJob {
  private final DatasetWriter writer;
  private final OpenDataset dataset;
  private final Batch batch;
  private final @Nullable Duration lifetime;
  private final Tally tally = new Tally();
  private final List<Part> parts;
  private final List<Written> written = new ArrayList<>(0);
  private final SeriesNotes notes;
  private final NewFields newFields;
  private final List<HashValue128> newIndexCells = new ArrayList<>(0);

  /** What the batch becomes in each layout, by its slot. */
  private final @Nullable LayoutEdits[] edits;

  /**
   * A job.
   *
   * @param lifetime after which the samples end; null for never
   */
  WriteJob(DatasetWriter writer, Batch batch, @Nullable Duration lifetime) {
    this.writer = writer;
    this.dataset = writer.dataset();
    this.batch = batch;
    this.lifetime = lifetime;
    this.parts = new ArrayList<>(batch.groups().size());
    this.notes = new SeriesNotes(dataset);
    this.newFields = new NewFields(writer.fieldLimits(), dataset.index());
    this.edits = new @Nullable LayoutEdits[dataset.periods().slots()];
  }

  /**
   * Writes the batch.
   *
   * @throws WriteFailedException if a store failed
   */
  WriteResult run() {
    try {
      gather();
      Companions companions = writer.companions();
      boolean applied = companions == null ? runAlone() : runTogether(companions);
      if (!applied) {
        return oneByOne();
      }
      writer.remember(newIndexCells);
      count();
      return tally.result(batch.sampleCount() + batch.attributes().size());
    } finally {
      for (LayoutEdits used : edits) {
        if (used != null) {
          writer.giveBack(used);
        }
      }
    }
  }

  private void count() {
    for (Part part : parts) {
      int series = part.series().standing().series();
      if (series >= 0) {
        dataset.index().count(series, part.accepted());
      }
    }
  }

  private boolean runAlone() {
    writer.writing().lock();
    try {
      encode();
      return applyAlone();
    } finally {
      writer.writing().unlock();
    }
  }

  private boolean applyAlone() {
    if (!applyHome()) {
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

  /** Sorts the samples by key and period, and refuses those of which that cannot be done. */
  private void gather() {
    long oldest = writer.oldestKept();
    for (SampleGroup group : batch.groups()) {
      if (group.size() > 0) {
        try {
          gather(writer.series(group.key()), group, oldest);
        } catch (RefusedException e) {
          tally.refuse(group.sampleCount(), group.key(), null, null, e.refusal());
        }
      }
    }
  }

  private void gather(KnownSeries series, SampleGroup raw, long oldest) {
    SampleGroup group =
        series.key().equals(raw.key())
            ? raw
            : new SampleGroup(series.key(), raw.size(), raw.times(), raw.columns());
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (int i = 0; i < group.size(); i++) {
      first = Math.min(first, group.times()[i]);
      last = Math.max(last, group.times()[i]);
    }
    Period period = dataset.periods().of(last);
    boolean isTaken = last < dataset.firstRefused();
    if (isTaken && first >= oldest && first >= period.times().from()) {
      add(series, period, group);
    } else {
      split(series, group, oldest);
    }
  }

  private void split(KnownSeries series, SampleGroup group, long oldest) {
    long firstRefused = dataset.firstRefused();
    TreeMap<Integer, BitSet> byPeriod = new TreeMap<>();
    for (int i = 0; i < group.size(); i++) {
      long time = group.times()[i];
      if (time < oldest) {
        tally.refusePlace(group, i, writer.tooOld(time, oldest));
      } else if (time >= firstRefused) {
        tally.refusePlace(group, i, writer.tooLate(time));
      } else {
        byPeriod.computeIfAbsent(dataset.periods().of(time).index(), index -> new BitSet()).set(i);
      }
    }
    byPeriod.forEach((index, places) ->
        add(series, dataset.periods().all().get(index), Places.select(group, places)));
  }

  /** Takes a part, if all layouts of its period take its key. */
  private void add(KnownSeries series, Period period, SampleGroup group) {
    try {
      for (PlacedLayout layout : period.layouts()) {
        series.binding(layout);
      }
      SampleGroup within = newFields.within(series, group, tally);
      if (within != null) {
        parts.add(new Part(series, period, within, tally));
      }
    } catch (RefusedException e) {
      tally.refuse(group.sampleCount(), group.key(), null, null, e.refusal());
    }
  }

  private void encode() {
    if (parts.isEmpty() && batch.attributes().isEmpty()) {
      return;
    }
    long unit = dataset.periods().stampUnit();
    Set<Part> again = unit == 1 ? Set.of() : partsOfKnownKeys();
    int stamps = batch.attributes().size() + again.size() * (int) unit;
    for (Part part : parts) {
      stamps += part.group().size();
    }
    long stamp = dataset.stamps(stamps);
    dataset.marks().reach(stamp + stamps, DatasetWriter.MARK_AHEAD_MICROS);
    for (Part part : parts) {
      stamp = again.contains(part) ? Math.ceilDiv(stamp, unit) * unit : stamp;
      encode(part, stamp);
      if (part.accepted() > 0) {
        notes.add(part, stamp);
      }
      stamp += part.group().size();
    }
    for (Attribute attribute : batch.attributes()) {
      encode(attribute, stamp++);
    }
  }

  /** The parts whose key an earlier part has, and which must not share its cell times. */
  private Set<Part> partsOfKnownKeys() {
    Set<SeriesIdentity> keys = new HashSet<>();
    Set<Part> again = new HashSet<>();
    for (Part part : parts) {
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

  /** A value that one of the layouts refuses goes into none of them. */
  private void encodeIntoAll(Part part, long stamp) {
    RefusedValues refused = new RefusedValues(part.group());
    List<LayoutEdits> trial = new ArrayList<>();
    for (PlacedLayout layout : part.period().layouts()) {
      LayoutEdits edits = writer.take(layout);
      trial.add(edits);
      edits.refusals(refused);
      encode(part, part.group(), stamp, edits);
    }
    for (LayoutEdits edits : trial) {
      if (refused.isEmpty()) {
        edits(edits.layout()).addAll(edits);
      }
      writer.giveBack(edits);
    }
    refused.tell(part);
    SampleGroup rest = refused.isEmpty() ? null : Places.without(part.group(), refused.places());
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

  private void encode(Attribute raw, long stamp) {
    long oldest = writer.oldestKept();
    Long time = raw.time();
    try {
      KnownSeries series = writer.series(raw.key());
      Attribute attribute = new Attribute(series.key(), raw.name(), time, raw.value());
      Period period = writer.periodOf(attribute);
      if (time != null && time < oldest) {
        Refusal refusal = writer.tooOld(time, oldest);
        throw new RefusedException(refusal.rule(), refusal.message());
      }
      if (time != null && time >= dataset.firstRefused()) {
        Refusal refusal = writer.tooLate(time);
        throw new RefusedException(refusal.rule(), refusal.message());
      }
      encode(attribute, series, period, stamp);
      notes.addKeyOnly(series, stamp);
    } catch (RefusedException e) {
      tally.refuse(1, raw.key(), raw.name(), time, e.refusal());
    }
  }

  /** The primary has to have a place for attributes; of the companions those get it that have. */
  private void encode(Attribute attribute, KnownSeries series, Period period, long stamp) {
    for (PlacedLayout layout : period.layouts()) {
      if (layout == period.primary() || layout.layout().domain().attributes()) {
        layout.layout().encode(series.binding(layout), attribute, stamp, edits(layout));
      }
    }
    if (period.hasCompanions()) {
      Long time = attribute.time();
      TimeRange times = time == null ? TimeRange.ALL : TimeRange.closed(time, time);
      written.add(new Written(period.index(), series.key(), times));
    }
  }

  private LayoutEdits edits(PlacedLayout layout) {
    LayoutEdits known = edits[layout.slot()];
    if (known == null) {
      known = writer.take(layout);
      edits[layout.slot()] = known;
    }
    return known;
  }

  /**
   * Applies what is new of the series, and lets readers know of it before there are samples: those
   * of a write that fails may stand, and what one reader sees the next has to find.
   */
  private boolean applyHome() {
    MutationBatch home = notes.edits();
    if (home.isEmpty()) {
      return true;
    }
    dataset.tellOthers(notes.identities());
    long told = System.nanoTime();
    boolean stands = writer.homeApplier().apply(home, home.size(), dataset.earlier()).isEmpty();
    if (System.nanoTime() - told > ChangeTable.MADE_WITHIN.toNanos()) {
      dataset.tellOthers(notes.identities());
    }
    if (stands) {
      notes.remember();
    }
    return stands;
  }

  private boolean applyIndex(LayoutEdits of) {
    for (int table = 0; table < of.tables(); table++) {
      MutationBatch unknown = writer.unknown(of.layout(), table, of.index(table), newIndexCells);
      if (!unknown.isEmpty()
          && !writer.apply(of.layout(), table, unknown, Durability.ORDERED).isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Applies the data of a table.
   *
   * @return whether nothing was rejected; what was is refused
   */
  private boolean applyData(LayoutEdits of, int table, Durability durability) {
    List<Rejected> rejected =
        writer.apply(of.layout(), table, of.data(table), durability, lifetime);
    for (Rejected row : rejected) {
      writer.refuse(of.layout(), row, tally);
    }
    return rejected.isEmpty();
  }

  /**
   * Writes into primaries and companions behind a marker, one batch after the other: two layouts
   * that got two batches in different order would differ for ever.
   */
  private boolean runTogether(Companions companions) {
    companions.lock();
    writer.writing().lock();
    try {
      encode();
      List<Marker> markers = dataset.home().markers().of(written, dataset.clock()::next);
      companions.put(markers);
      if (!applyPrimaries(companions, markers)) {
        return false;
      }
      if (applyCompanions()) {
        companions.remove(markers);
      }
    } finally {
      writer.writing().unlock();
      companions.unlock();
    }
    dataset.marks().sync();
    return true;
  }

  private boolean applyPrimaries(Companions companions, List<Marker> markers) {
    try {
      boolean applied = applyHome() && applyPrimaries();
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

  /** What does not reach a companion now is repaired later: the primary has it. */
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
        complete = writer.apply(of.layout(), table, of.data(table), Durability.ORDERED).isEmpty();
      }
      return complete;
    } catch (WriteFailedException e) {
      writer.companionFailed(of.layout(), e);
      return false;
    }
  }

  /** Writes group by group, so that what the store rejects is refused and the rest is kept. */
  private WriteResult oneByOne() {
    List<Batch> single = new ArrayList<>();
    batch.groups().forEach(group -> single.add(Batch.of(group)));
    batch.attributes().forEach(one -> single.add(new Batch(List.of(), List.of(one))));
    Tally all = new Tally();
    int count = batch.sampleCount() + batch.attributes().size();
    if (single.size() == 1) {
      GroupKey key =
          batch.groups().isEmpty()
              ? batch.attributes().getFirst().key()
              : batch.groups().getFirst().key();
      all.refuse(count, key, null, null, DatasetWriter.KEY_REJECTED);
      return all.result(count);
    }
    for (Batch one : single) {
      all.add(new WriteJob(writer, one, lifetime).run());
    }
    return all.result(count);
  }
}
