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
   * @param granularity every time is a multiple of it
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

  public boolean has(Class<? extends Power> power) {
    return powers.contains(power);
  }
}
