package dev.varve.store;

import dev.varve.model.TimeRange;
import java.util.List;

/**
 * A read of one table, as data: it can be printed, counted, kept, repeated and resumed. Slices are
 * delivered one after the other in plan order, even if they overlap. Within a slice, rows come in
 * key order or its reverse; within a row, cells come by family in table order, then by qualifier in
 * ascending order, then newest first.
 *
 * @param slices at least one
 * @param families selections in table order; families not listed are not read
 * @param values whether to return values. If false, every cell has an empty value, and stores that
 *     can will not read values at all
 * @param cellTimes whether to return the times of cells. If false, the times are arbitrary, and
 *     stores that can will not read them. Only reads of all cell times with one version may do
 *     without
 */
public record ReadPlan(
    List<Slice> slices,
    List<FamilySelect> families,
    Direction direction,
    Limits limits,
    Budget budget,
    boolean values,
    boolean cellTimes) {
  public ReadPlan {
    slices = List.copyOf(slices);
    families = List.copyOf(families);
    if (slices.isEmpty() || families.isEmpty()) {
      throw new IllegalArgumentException(
          "a read needs slices and families, got " + slices.size() + " and " + families.size());
    }
    if (!cellTimes && !families.stream().allMatch(ReadPlan::isLatest)) {
      throw new IllegalArgumentException(
          "a read without cell times cannot select by them: " + families);
    }
    for (int i = 1; i < families.size(); i++) {
      if (families.get(i - 1).family() >= families.get(i).family()) {
        throw new IllegalArgumentException(
            "families of a read must be unique and in table order: " + families);
      }
    }
  }

  public static ReadPlan of(List<Slice> slices, List<FamilySelect> families) {
    return new ReadPlan(
        slices, families, Direction.FORWARD, Limits.NONE, Budget.UNLIMITED, true, true);
  }

  public ReadPlan with(Limits other) {
    return new ReadPlan(slices, families, direction, other, budget, values, cellTimes);
  }

  public ReadPlan with(Budget other) {
    return new ReadPlan(slices, families, direction, limits, other, values, cellTimes);
  }

  /** Returns a plan for other slices. */
  public ReadPlan with(List<Slice> other) {
    return new ReadPlan(other, families, direction, limits, budget, values, cellTimes);
  }

  /** Returns a plan for the same cells without their values. */
  public ReadPlan withoutValues() {
    return new ReadPlan(slices, families, direction, limits, budget, false, cellTimes);
  }

  /** Returns a plan for the same cells with or without their times. */
  public ReadPlan withCellTimes(boolean wanted) {
    return new ReadPlan(slices, families, direction, limits, budget, values, wanted);
  }

  public ReadPlan with(Direction other) {
    return new ReadPlan(slices, families, other, limits, budget, values, cellTimes);
  }

  private static boolean isLatest(FamilySelect select) {
    return select.versions() == 1 && select.times().equals(TimeRange.ALL);
  }
}
