package dev.varve.store;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a store serves a table: not what it has, but how it behaves.
 *
 * @param cellTimes which cell times it keeps as data; null where it keeps none as data
 * @param deletes whether a delete also hides puts of an older time that come after it
 * @param order how far rows stand in the order of their keys
 * @param powers the optional powers that the table has
 */
public record Capabilities(
    @Nullable CellTimes cellTimes,
    Deletes deletes,
    RowOrder order,
    SizeLimits limits,
    Set<Class<? extends Power>> powers) {
  public Capabilities {
    powers = Set.copyOf(powers);
  }

  /**
   * Cell times that a family of {@link TimeUse#DATA} may use, in the unit of the table.
   *
   * @param granularity every time is a multiple of it. Families of {@link TimeUse#CLOCK} with one
   *     version take any time, but the order of two in one such step is that of their arrival
   */
  public record CellTimes(long min, long max, long granularity) {
    /** Every time that a half-open range can hold. */
    public static final CellTimes ANY = new CellTimes(Long.MIN_VALUE, Long.MAX_VALUE - 1, 1);

    public boolean contains(long time) {
      return time >= min && time <= max && time % granularity == 0;
    }
  }

  public enum Deletes {
    /** A delete removes what is there; what is put later is seen, whatever its time. */
    IMMEDIATE,
    /**
     * A delete hides every put of an older time, also a later one, until the store has compacted.
     */
    MASK_OLDER
  }

  public enum RowOrder {
    /** All rows of a table: a slice may run from one partition into the next. */
    TABLE,
    /** The rows of a partition; partitions are spread by hash, and a slice stays within one. */
    PARTITION
  }

  /**
   * How many microseconds of a clock the store does not tell apart in a table that is opened with
   * these: of two puts into one column whose times differ by more, the later is seen whichever
   * arrives last. 1 where the unit of the table says all.
   */
  public long clockStepMicros(TableSpec spec) {
    boolean keepsLatest =
        spec.families().stream()
            .anyMatch(family -> family.time() == TimeUse.CLOCK && family.maxVersions() == 1);
    CellTimes times = cellTimes;
    return times == null || times.granularity() == 1 || !keepsLatest
        ? 1
        : Math.ceilDiv(times.granularity() * 1_000_000, spec.timeUnit().perSecond());
  }

  public boolean has(Class<? extends Power> power) {
    return powers.contains(power);
  }
}
