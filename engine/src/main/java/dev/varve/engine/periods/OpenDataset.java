package dev.varve.engine.periods;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.home.ChangeTable;
import dev.varve.engine.home.ClockTable;
import dev.varve.engine.home.Home;
import dev.varve.engine.home.StampClock;
import dev.varve.engine.pending.PendingDeletes;
import dev.varve.model.Resolution;
import dev.varve.store.Durability;
import dev.varve.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.stream.Stream;

/**
 * The state of an open dataset, shared by its writer and its reader.
 *
 * @param created when the home recorded the dataset
 * @param store the store of the layouts' tables
 * @param homeStore the store of the home; usually the same
 * @param marks the marks of the clock, saved in the home's store
 * @param deletes the unfinished deletes, whose samples must not be read although the tables may
 *     contain them
 */
public record OpenDataset(
    DatasetConfig config,
    Resolution resolution,
    Instant created,
    Store store,
    Store homeStore,
    Home home,
    SeriesIndex index,
    Periods periods,
    StampClock clock,
    ClockTable marks,
    PendingDeletes deletes) {
  public String name() {
    return config.name();
  }

  /** Returns the layouts of all periods, by slot. */
  public Stream<PlacedLayout> layouts() {
    return periods.all().stream().flatMap(period -> period.layouts().stream());
  }

  /**
   * Reserves {@code count} consecutive stamps and returns the first. Every layout and store of the
   * dataset can distinguish them from all earlier stamps.
   */
  public long stamps(int count) {
    return clock.reserve(count, periods.stampUnit());
  }

  /**
   * Returns the durability required of all writes of a batch before its last one. With two stores
   * each write is synced, because a sync of one store does not cover the other.
   */
  public Durability earlier() {
    return store.equals(homeStore) ? Durability.ORDERED : Durability.SYNCED;
  }

  /**
   * Returns whether the catalog's extents cover all samples. In attached tables, other programs
   * write without updating the catalog.
   */
  public boolean trustsExtents() {
    return config.attached() == null;
  }

  /**
   * Announces series that are about to change in the home to other servers that share it, if any.
   */
  public void tellOthers(Collection<SeriesIdentity> identities) {
    ChangeTable changes = home.changes();
    if (changes != null) {
      changes.announce(identities, clock::systemMicros, clock::next);
    }
  }

  /** Returns the system time in the resolution of the dataset. */
  public long now() {
    return Resolution.MICROSECONDS.convert(clock.systemMicros(), resolution);
  }

  /**
   * Returns the earliest time at which samples are refused. Samples are refused in periods that
   * only another server knows, and too far in the future if the store expires cells by the time of
   * the write.
   */
  public long firstRefused() {
    Duration retention = config.retention();
    if (retention == null || store.isEmbedded()) {
      return periods.closedFrom();
    }
    long ahead = TableUpkeep.AHEAD.toSeconds() * resolution.perSecond();
    return Math.min(periods.closedFrom(), now() + ahead);
  }

  /**
   * Returns the start of the retained time range; {@link Long#MIN_VALUE} if all samples are kept.
   */
  public long oldestKept() {
    return oldestKept(config, resolution, clock);
  }

  /** Returns the start of the time range that a dataset retains. */
  public static long oldestKept(DatasetConfig config, Resolution resolution, StampClock clock) {
    Duration retention = config.retention();
    if (retention == null) {
      return Long.MIN_VALUE;
    }
    long perSecond = resolution.perSecond();
    if (retention.toSeconds() >= Long.MAX_VALUE / 2 / perSecond) {
      return Long.MIN_VALUE;
    }
    long now = Resolution.MICROSECONDS.convert(clock.systemMicros(), resolution);
    long parts = Resolution.NANOSECONDS.convert(retention.toNanosPart(), resolution);
    return now - retention.toSeconds() * perSecond - parts;
  }
}
