package dev.varve.store;

/**
 * A column family.
 *
 * @param name up to 64 bytes of printable ASCII; some stores carry it with every cell, so short is
 *     cheap
 * @param time what the times of its cells mean
 * @param maxVersions how many cells of one row and qualifier are kept, newest first; {@link
 *     #ALL_VERSIONS} for all
 */
public record FamilySpec(String name, TimeUse time, int maxVersions) {
  public static final int ALL_VERSIONS = Integer.MAX_VALUE;

  public FamilySpec {
    if (!name.matches("[!-~]{1,64}")) {
      throw new IllegalArgumentException(
          "family name '" + name + "' is not 1 to 64 characters of printable ASCII");
    }
    if (maxVersions < 1) {
      throw new IllegalArgumentException(
          "family '" + name + "' keeps " + maxVersions + " versions, at least 1 is needed");
    }
  }

  /** A family that keeps the newest cell of a column, its time being the clock of acceptance. */
  public static FamilySpec latest(String name) {
    return new FamilySpec(name, TimeUse.CLOCK, 1);
  }
}
