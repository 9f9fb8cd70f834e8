package dev.varve.store;

import dev.varve.model.TimeRange;
import java.util.List;

/**
 * What a plan reads of one family. Conditions apply in this order: qualifiers, times, versions.
 *
 * @param family the place of the family in {@link TableSpec#families()}
 * @param qualifiers disjoint, in rising order; empty for all
 * @param times the cell times to read, in the unit of the table; own to each family, so that one
 *     read may return samples of a window and metadata of another time
 * @param versions how many of the newest cells of a column within {@code times}
 */
public record FamilySelect(
    int family, List<QualifierRange> qualifiers, TimeRange times, int versions) {
  public FamilySelect {
    qualifiers = List.copyOf(qualifiers);
    if (versions < 1) {
      throw new IllegalArgumentException(
          "a read asks for " + versions + " versions, at least 1 is needed");
    }
    for (int i = 1; i < qualifiers.size(); i++) {
      dev.varve.model.Bytes before = qualifiers.get(i - 1).to();
      if (before == null || before.compareTo(qualifiers.get(i).from()) > 0) {
        throw new IllegalArgumentException("qualifier ranges overlap or fall: " + qualifiers);
      }
    }
  }

  /** The newest cell of every column of the family. */
  public static FamilySelect latest(int family) {
    return new FamilySelect(family, List.of(), TimeRange.ALL, 1);
  }

  public static FamilySelect all(int family) {
    return new FamilySelect(family, List.of(), TimeRange.ALL, FamilySpec.ALL_VERSIONS);
  }
}
