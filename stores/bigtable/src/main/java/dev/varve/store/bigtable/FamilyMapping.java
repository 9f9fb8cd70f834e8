package dev.varve.store.bigtable;

import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities.CellTimes;
import dev.varve.store.FamilySpec;
import dev.varve.store.TimeUse;
import org.jspecify.annotations.Nullable;

/**
 * Maps the cells of one family to Bigtable.
 *
 * <p>Bigtable's cell times are non-negative microseconds in steps of a thousand. A family's cell
 * times are rounded down to the millisecond. Two kinds of families need more:
 *
 * <ul>
 *   <li>Families of {@link TimeUse#CLOCK} with one version and a unit finer than a millisecond are
 *       <b>stamped</b>: the exact time precedes the value, as eight bytes, big-endian.
 *   <li>Families of {@link TimeUse#CLOCK} with several versions and the unit microsecond are
 *       <b>stretched</b>: Bigtable has to distinguish the versions, so each of our microseconds is
 *       one of Bigtable's milliseconds.
 * </ul>
 *
 * <p>Foreign tables are neither, since their times and values belong to the other program.
 */
final class FamilyMapping {
  static final int STAMP_LENGTH = Long.BYTES;

  /** Bigtable's cell times are multiples of this. */
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

  /** Returns the times that a family of data keeps, in the unit of its table. */
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

  /**
   * Returns whether only the newest cell of a column is visible, so that older ones count as
   * deleted.
   */
  boolean isLatest() {
    return isLatest(spec);
  }

  boolean isStamped() {
    return stamped;
  }

  /** Returns Bigtable's time of a cell: the millisecond that contains or represents the time. */
  long micros(long time) {
    if (stretched) {
      return Math.multiplyExact(time, MICROS_STEP);
    }
    return Math.multiplyExact(unit.convert(time, Resolution.MILLISECONDS), MICROS_STEP);
  }

  /** Returns the time of an unstamped cell from its time in Bigtable. */
  long time(long micros) {
    if (stretched) {
      return micros / MICROS_STEP;
    }
    return Resolution.MICROSECONDS.convert(micros, unit);
  }

  /** Returns why no cell of this time can be kept; null if it can. */
  @Nullable String refusal(long time) {
    CellTimes kept = kept();
    return time >= 0 && time - time % kept.granularity() <= kept.max()
        ? null
        : "cell time %d in family '%s', which keeps times from 0 to %d"
            .formatted(time, spec.name(), kept.max());
  }

  /**
   * Returns the first of Bigtable's times at or after a time, saturated: 0 for times before 1970,
   * {@link Long#MAX_VALUE} for times after all that can be kept.
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

  /** Returns whether Bigtable's times can express a range of times exactly. */
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
