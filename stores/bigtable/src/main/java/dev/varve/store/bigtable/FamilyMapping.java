package dev.varve.store.bigtable;

import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities.CellTimes;
import dev.varve.store.FamilySpec;
import dev.varve.store.TimeUse;
import org.jspecify.annotations.Nullable;

/**
 * How the cells of one family stand in Bigtable.
 *
 * <p>Bigtable's cell times are microseconds in steps of a thousand, never negative. A family's cell
 * times become Bigtable's, rounded down to the millisecond. Where that would lose something, in
 * families of {@link TimeUse#CLOCK} with one version and a unit finer than a millisecond, the exact
 * time stands before the value, as eight bytes, big-endian: the family is <b>stamped</b>. Where a
 * family of {@link TimeUse#CLOCK} keeps several versions and its unit is the microsecond, Bigtable
 * has to tell them apart, so that each of our microseconds is one of Bigtable's milliseconds: the
 * family is <b>stretched</b>. Tables that another program made are neither, since their times and
 * values are that program's.
 */
final class FamilyMapping {
  static final int STAMP_LENGTH = Long.BYTES;

  /** Bigtable's cell times are multiples of it. */
  static final long MICROS_STEP = 1000;

  private static final long MICROS_MAX =
      Long.MAX_VALUE - Long.MAX_VALUE % MICROS_STEP - MICROS_STEP;

  private final FamilySpec spec;
  private final Resolution unit;
  private final boolean stamped;
  private final boolean stretched;

  FamilyMapping(FamilySpec spec, Resolution unit, boolean foreign) {
    this.spec = spec;
    this.unit = unit;
    this.stamped = !foreign && isLatest(spec) && isFinerThanMillis(unit);
    this.stretched =
        !foreign
            && spec.time() == TimeUse.CLOCK
            && !isLatest(spec)
            && unit == Resolution.MICROSECONDS;
  }

  static boolean isFinerThanMillis(Resolution unit) {
    return unit.compareTo(Resolution.MILLISECONDS) > 0;
  }

  private static boolean isLatest(FamilySpec spec) {
    return spec.time() == TimeUse.CLOCK && spec.maxVersions() == 1;
  }

  /** Times that a family of data keeps, in the unit of its table. */
  static CellTimes cellTimes(Resolution unit) {
    long granularity = Math.max(1, unit.perSecond() / 1000);
    long most =
        unit == Resolution.NANOSECONDS
            ? Long.MAX_VALUE - 1
            : MICROS_MAX / (1_000_000 / unit.perSecond());
    return new CellTimes(0, most - most % granularity, granularity);
  }

  String name() {
    return spec.name();
  }

  int maxVersions() {
    return spec.maxVersions();
  }

  /** Whether a column shows only its newest cell, so that older ones count as gone. */
  boolean isLatest() {
    return isLatest(spec);
  }

  boolean isStamped() {
    return stamped;
  }

  /** Bigtable's time of a cell: the millisecond that holds the time, or stands for it. */
  long micros(long time) {
    if (stretched) {
      return Math.multiplyExact(time, MICROS_STEP);
    }
    return Math.multiplyExact(unit.convert(time, Resolution.MILLISECONDS), MICROS_STEP);
  }

  /** The time of a cell that has this time in Bigtable and is not stamped. */
  long time(long micros) {
    if (stretched) {
      return micros / MICROS_STEP;
    }
    return Resolution.MICROSECONDS.convert(micros, unit);
  }

  /** Why no cell of this time can be kept; null where it can. */
  @Nullable String refusal(long time) {
    CellTimes kept = kept();
    return time >= 0 && time - time % kept.granularity() <= kept.max()
        ? null
        : "cell time %d in family '%s', which keeps times from 0 to %d"
            .formatted(time, spec.name(), kept.max());
  }

  /**
   * The first of Bigtable's times at or behind a time, saturated: 0 for what is before 1970, {@link
   * Long#MAX_VALUE} for what is behind all that can be kept.
   */
  long firstMicrosFrom(long time) {
    if (time <= 0) {
      return 0;
    }
    CellTimes kept = kept();
    if (time > kept.max()) {
      return Long.MAX_VALUE;
    }
    long micros = micros(time);
    return time % kept.granularity() == 0 ? micros : micros + MICROS_STEP;
  }

  /** Whether a range of times is one of Bigtable's too, so that Bigtable can tell what is in it. */
  boolean isExact(TimeRange times) {
    return !stamped || (isWhole(times.from()) && isWhole(times.to()));
  }

  private boolean isWhole(long time) {
    return time <= 0 || time == Long.MAX_VALUE || time % kept().granularity() == 0;
  }

  private CellTimes kept() {
    return stretched ? new CellTimes(0, MICROS_MAX / MICROS_STEP, 1) : cellTimes(unit);
  }
}
