package dev.varve.store;

/**
 * Specifies a column family.
 *
 * @param name 1 to 64 characters of printable ASCII. Some stores repeat it in every cell, so keep
 *     it short
 * @param time the meaning of its cell times
 * @param maxVersions number of newest cells kept for each row and qualifier; {@link #ALL_VERSIONS}
 *     for all
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
          "family '" + name + "' keeps " + maxVersions + " versions, expected at least 1");
    }
  }

  /**
   * A family that keeps only the newest cell of a column; cell times are the clock of acceptance.
   */
  public static FamilySpec latest(String name) {
    return new FamilySpec(name, TimeUse.CLOCK, 1);
  }
}
