package dev.varve.store;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Describes how a store behaves for a table.
 *
 * @param cellTimes cell times that can carry data; null if the store cannot use cell times as data
 * @param deletes whether a delete also hides older puts that arrive after it
 * @param order the scope within which rows are ordered by key
 * @param powers the optional powers of the table
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
   * The cell times that a family of {@link TimeUse#DATA} may use, in the unit of the table.
   *
   * @param granularity every time must be a multiple of it. Families of {@link TimeUse#CLOCK} with
   *     one version accept any time, but two times within one step are ordered by arrival
   */
  public record CellTimes(long min, long max, long granularity) {
    /** Every time that a half-open range can contain. */
    public static final CellTimes ANY = new CellTimes(Long.MIN_VALUE, Long.MAX_VALUE - 1, 1);

    public boolean contains(long time) {
      return time >= min && time <= max && time % granularity == 0;
    }
  }

  public enum Deletes {
    /** A delete removes existing cells. Later puts are visible, whatever their times. */
    IMMEDIATE,
    /** A delete hides every put with an older time, even a later put, until the store compacts. */
    MASK_OLDER
  }

  public enum RowOrder {
    /** All rows of a table are ordered; a slice may span partitions. */
    TABLE,
    /**
     * Rows are ordered within a partition. Partitions are distributed by hash, and a slice stays
     * within one.
     */
    PARTITION
  }

  /**
   * Returns the clock resolution of a table opened with these capabilities, in microseconds. If the
   * times of two puts into one column differ by more than that, the later time wins regardless of
   * arrival order. Returns 1 if the table's own unit is the only restriction.
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

  /**
   * Returns a message for each needed power that the store lacks.
   *
   * @param store kind of the store
   */
  public List<String> reasonsAgainst(
      String store, TableSpec spec, Set<Class<? extends Power>> needs) {
    return needs.stream()
        .filter(need -> !has(need))
        .map(need ->
            "table '%s' needs %s, which the %s store does not support"
                .formatted(spec.name(), need.getSimpleName(), store))
        .toList();
  }

  public boolean has(Class<? extends Power> power) {
    return powers.contains(power);
  }
}
