package dev.varve.store;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import java.util.List;

/**
 * Selects cells of one family. Conditions apply in this order: qualifiers, times, versions.
 *
 * @param family index of the family in {@link TableSpec#families()}
 * @param qualifiers disjoint ranges in ascending order; empty for all
 * @param times cell times to read, in the unit of the table. Each family has its own range, so one
 *     read can return samples of a window and metadata of another time
 * @param versions number of the newest cells of each column within {@code times}, at least 1
 */
public record FamilySelect(
    int family, List<QualifierRange> qualifiers, TimeRange times, int versions) {
  public FamilySelect {
    qualifiers = List.copyOf(qualifiers);
    if (versions < 1) {
      throw new IllegalArgumentException(
          "a read asks for " + versions + " versions, expected at least 1");
    }
    for (int i = 1; i < qualifiers.size(); i++) {
      Bytes before = qualifiers.get(i - 1).to();
      if (before == null || before.compareTo(qualifiers.get(i).from()) > 0) {
        throw new IllegalArgumentException(
            "qualifier ranges overlap or are out of order: " + qualifiers);
      }
    }
  }

  /** Selects the newest cell of every column of the family. */
  public static FamilySelect latest(int family) {
    return new FamilySelect(family, List.of(), TimeRange.ALL, 1);
  }

  public static FamilySelect all(int family) {
    return new FamilySelect(family, List.of(), TimeRange.ALL, FamilySpec.ALL_VERSIONS);
  }
}
