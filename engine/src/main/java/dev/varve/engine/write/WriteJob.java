package dev.varve.engine.write;

import dev.varve.engine.catalog.CatalogBudget;
import dev.varve.engine.config.FieldLimits;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.request.WriteResult;
import dev.varve.engine.write.Destination.Outcome;
import dev.varve.engine.write.GatheredBatch.Noted;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes one batch: sorts its samples by series and period, refuses those that the dataset does not
 * accept, and passes the rest to the destinations. Used once, by one thread.
 */
final class WriteJob {
  private static final Refusal KEY_REJECTED =
      new Refusal(
          "store.rejected", "the store rejects the cells by which the series would be found");

  private final Path path;
  private final OpenDataset dataset;
  private final Batch batch;
  private final @Nullable Duration lifetime;
  private final long stamp;
  private final AcceptedTimes times;
  private final Additions additions;
  private final RefusedSamples tally = new RefusedSamples();
  private final List<Part> inCells;
  private final List<Noted> attributes = new ArrayList<>(0);
  private final List<Part> inBlocks = new ArrayList<>(0);

  /** The parts of a dataset that a write uses. */
  record Path(
      OpenDataset dataset,
      SeriesCache series,
      FieldLimits fieldLimits,
      CatalogBudget catalogs,
      Destination cells,
      Destination blocks) {}

  /**
   * Creates a job.
   *
   * @param lifetime after which the samples expire; null for never
   * @param stamp first of {@link #stamps} that were reserved; 0 to take new ones
   */
  WriteJob(Path path, Batch batch, @Nullable Duration lifetime, long stamp) {
    this.path = path;
    this.dataset = path.dataset();
    this.batch = batch;
    this.lifetime = lifetime;
    this.stamp = stamp;
    this.times = new AcceptedTimes(dataset);
    this.additions = new Additions(path.fieldLimits(), path.catalogs(), dataset.index());
    this.inCells = new ArrayList<>(batch.groups().size());
  }

  /**
   * Returns how many stamps a batch of samples takes at most: one for each time. A part whose key
   * an earlier part has begins a new unit of stamps, which counts in full.
   */
  static int stamps(Batch batch, OpenDataset dataset) {
    int periods = dataset.periods().all().size();
    int again = 0;
    int stamps = 0;
    Set<GroupKey> keys = new HashSet<>();
    for (SampleGroup group : batch.groups()) {
      if (group.size() == 0) {
        continue;
      }
      stamps += group.size();
      again += (keys.add(group.key()) ? 0 : 1) + Math.min(group.size(), periods) - 1;
    }
    return stamps + again * (int) dataset.periods().stampUnit();
  }

  /**
   * Writes the batch.
   *
   * @throws WriteFailedException if a store failed
   */
  WriteResult run() {
    batch.groups().forEach(this::gather);
    batch.attributes().forEach(this::gather);
    Outcome outcome = path.cells().write(gathered(inCells, attributes));
    if (outcome == Outcome.WRITTEN) {
      outcome = path.blocks().write(gathered(inBlocks, List.of()));
    }
    return switch (outcome) {
      case MISPLACED -> new WriteJob(path, batch, lifetime, stamp).run();
      case KEY_REJECTED -> oneByOne();
      case WRITTEN -> result();
    };
  }

  private GatheredBatch gathered(List<Part> of, List<Noted> noted) {
    return new GatheredBatch(of, noted, tally, lifetime, stamp);
  }

  private WriteResult result() {
    inCells.forEach(this::count);
    inBlocks.forEach(this::count);
    return tally.result(batch.sampleCount() + batch.attributes().size());
  }

  private void count(Part part) {
    int series = part.series().state().series();
    if (series >= 0) {
      dataset.index().count(series, part.accepted());
    }
  }

  private void gather(SampleGroup group) {
    if (group.size() == 0) {
      return;
    }
    try {
      gather(path.series().of(group.key()), group);
    } catch (RefusedException e) {
      tally.refuse(group.sampleCount(), group.key(), null, null, e.refusal());
    }
  }

  private void gather(KnownSeries series, SampleGroup raw) {
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
    if (times.accepts(first, last) && first >= period.times().from()) {
      add(series, period, group);
    } else {
      split(series, group);
    }
  }

  private void split(KnownSeries series, SampleGroup group) {
    TreeMap<Integer, BitSet> byPeriod = new TreeMap<>();
    for (int i = 0; i < group.size(); i++) {
      long time = group.times()[i];
      Refusal refusal = times.refusal(time);
      if (refusal != null) {
        tally.refuseAll(group, i, refusal);
      } else {
        byPeriod.computeIfAbsent(dataset.periods().of(time).index(), index -> new BitSet()).set(i);
      }
    }
    byPeriod.forEach((period, indexes) ->
        add(series, dataset.periods().all().get(period), SampleSelection.select(group, indexes)));
  }

  /** Adds a part if all layouts of its period accept its key. */
  private void add(KnownSeries series, Period period, SampleGroup group) {
    try {
      for (PlacedLayout layout : period.layouts()) {
        series.binding(layout);
      }
      SampleGroup within = additions.within(series, group, tally);
      if (within != null) {
        List<Part> into = period.isInBlocks() ? inBlocks : inCells;
        into.add(new Part(series, period, within, tally));
      }
    } catch (RefusedException e) {
      tally.refuse(group.sampleCount(), group.key(), null, null, e.refusal());
    }
  }

  private void gather(Attribute raw) {
    Long time = raw.time();
    try {
      KnownSeries series = path.series().of(raw.key());
      Refusal refusal = time == null ? null : times.refusal(time);
      refusal = refusal == null ? additions.refusal(series) : refusal;
      Attribute attribute = new Attribute(series.key(), raw.name(), time, raw.value());
      Period period = dataset.periods().of(attribute);
      if (refusal == null && period.isInBlocks()) {
        refusal =
            new Refusal(
                "blocks.attribute",
                "attribute '%s': layout 'blocks' holds samples alone".formatted(raw.name()));
      }
      if (refusal == null) {
        attributes.add(new Noted(series, period, attribute));
      } else {
        tally.refuse(1, raw.key(), raw.name(), time, refusal);
      }
    } catch (RefusedException e) {
      tally.refuse(1, raw.key(), raw.name(), time, e.refusal());
    }
  }

  /** Writes key by key, so that only the samples of keys that the store rejects are refused. */
  private WriteResult oneByOne() {
    // Groups of one key stay together: of two samples of one time, the stamp of the later is later.
    Map<GroupKey, List<SampleGroup>> byKey = new LinkedHashMap<>();
    for (SampleGroup group : batch.groups()) {
      byKey.computeIfAbsent(group.key(), _ -> new ArrayList<>()).add(group);
    }
    List<Batch> single = new ArrayList<>();
    byKey.values().forEach(groups -> single.add(new Batch(groups, List.of())));
    batch.attributes().forEach(one -> single.add(new Batch(List.of(), List.of(one))));
    RefusedSamples all = new RefusedSamples();
    int count = batch.sampleCount() + batch.attributes().size();
    if (single.size() == 1) {
      GroupKey key =
          batch.groups().isEmpty()
              ? batch.attributes().getFirst().key()
              : batch.groups().getFirst().key();
      all.refuse(count, key, null, null, KEY_REJECTED);
      return all.result(count);
    }
    for (Batch one : single) {
      all.add(new WriteJob(path, one, lifetime, stamp).run());
    }
    return all.result(count);
  }
}
