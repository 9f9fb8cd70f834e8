package dev.varve.engine.periods;

import dev.varve.engine.DatasetConfig;
import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.home.ChangeTable;
import dev.varve.engine.home.ClockTable;
import dev.varve.engine.home.Home;
import dev.varve.engine.home.StampClock;
import dev.varve.model.Resolution;
import dev.varve.store.Durability;
import dev.varve.store.Store;
import java.time.Duration;
import java.util.Collection;
import java.util.stream.Stream;

/**
 * What belongs to a dataset while it is open: writing and reading stand on it.
 *
 * @param store of the layouts' tables
 * @param homeStore of the home; mostly the same
 * @param marks of the clock in the home's store
 */
public record OpenDataset(
    DatasetConfig config,
    Resolution resolution,
    Store store,
    Store homeStore,
    Home home,
    SeriesIndex index,
    Periods periods,
    StampClock clock,
    ClockTable marks) {
  public String name() {
    return config.name();
  }

  /** Returns the layouts of all periods, by slot. */
  public Stream<PlacedLayout> layouts() {
    return periods.all().stream().flatMap(period -> period.layouts().stream());
  }

  /**
   * Gives {@code count} stamps that follow each other, and returns the first. Every layout and
   * store of the dataset can tell them from all that were given before.
   */
  public long stamps(int count) {
    return clock.reserve(count, periods.stampUnit());
  }

  /**
   * How durable what comes before the last write of a batch has to be: a sync of one store says
   * nothing of another.
   */
  public Durability earlier() {
    return store.equals(homeStore) ? Durability.ORDERED : Durability.SYNCED;
  }

  /**
   * Whether nothing is written outside of the extents that the catalog knows: others write where
   * they like.
   */
  public boolean trustsExtents() {
    return config.attached() == null;
  }

  /** Tells other servers of series that are about to change in the home, where there are any. */
  public void tellOthers(Collection<SeriesIdentity> identities) {
    ChangeTable changes = home.changes();
    if (changes != null) {
      changes.tell(identities, clock::systemMicros, clock::next);
    }
  }

  /** The system's time in the resolution of the dataset. */
  public long now() {
    return Resolution.MICROSECONDS.convert(clock.systemMicros(), resolution);
  }

  /**
   * The first time of which no sample is taken: one that lies too far ahead where a store may
   * remove cells by the time of their writing, or in a period that only another server knows.
   */
  public long firstRefused() {
    Duration retention = config.retention();
    if (retention == null || store.isEmbedded()) {
      return periods.closedFrom();
    }
    long ahead = TableUpkeep.AHEAD.toSeconds() * resolution.perSecond();
    return Math.min(periods.closedFrom(), now() + ahead);
  }

  /** The time from which on samples are kept; {@link Long#MIN_VALUE} where all are. */
  public long oldestKept() {
    Duration retention = config.retention();
    if (retention == null) {
      return Long.MIN_VALUE;
    }
    long perSecond = resolution.perSecond();
    if (retention.toSeconds() >= Long.MAX_VALUE / 2 / perSecond) {
      return Long.MIN_VALUE;
    }
    long parts = Resolution.NANOSECONDS.convert(retention.toNanosPart(), resolution);
    return now() - retention.toSeconds() * perSecond - parts;
  }
}
