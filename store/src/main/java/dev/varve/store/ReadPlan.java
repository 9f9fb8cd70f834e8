package dev.varve.store;

import java.util.List;

/**
 * A read of one table, as data: it can be printed, counted, kept, repeated and resumed. Slices are
 * answered one after the other in this order, also where they overlap; rows of a slice in key order
 * or its reverse; within a row families in the order of the plan, which is the order of the table,
 * then qualifiers in rising order, then newest first.
 *
 * @param slices at least one
 * @param families what to read of each family, in the order of the table; families that are missing
 *     are not read
 * @param values whether values are wanted; where not, every cell comes with an empty one, and a
 *     store that can leaves them where they are
 */
public record ReadPlan(
    List<Slice> slices,
    List<FamilySelect> families,
    Direction direction,
    Limits limits,
    Budget budget,
    boolean values) {
  public ReadPlan {
    slices = List.copyOf(slices);
    families = List.copyOf(families);
    if (slices.isEmpty() || families.isEmpty()) {
      throw new IllegalArgumentException(
          "a read needs a slice and a family, got " + slices.size() + " and " + families.size());
    }
    for (int i = 1; i < families.size(); i++) {
      if (families.get(i - 1).family() >= families.get(i).family()) {
        throw new IllegalArgumentException(
            "families of a read stand in the order of the table, each once: " + families);
      }
    }
  }

  public static ReadPlan of(List<Slice> slices, List<FamilySelect> families) {
    return new ReadPlan(slices, families, Direction.FORWARD, Limits.NONE, Budget.UNLIMITED, true);
  }

  public ReadPlan with(Limits other) {
    return new ReadPlan(slices, families, direction, other, budget, values);
  }

  public ReadPlan with(Budget other) {
    return new ReadPlan(slices, families, direction, limits, other, values);
  }

  /** The same cells without their values. */
  public ReadPlan withoutValues() {
    return new ReadPlan(slices, families, direction, limits, budget, false);
  }

  public ReadPlan with(Direction other) {
    return new ReadPlan(slices, families, other, limits, budget, values);
  }
}
