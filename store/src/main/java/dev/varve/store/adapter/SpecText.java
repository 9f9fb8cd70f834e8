package dev.varve.store.adapter;

import dev.varve.store.FamilySpec;
import dev.varve.store.TimeUse;
import java.util.ArrayList;
import java.util.List;

/** The families of a table as the stores write them down, one a line: time use, versions, name. */
public final class SpecText {
  /*
   *   DATA all points
   *   CLOCK 1 tags
   */
  private static final String ALL = "all";

  private SpecText() {}

  /** A line without its end, such as {@code DATA all points}. */
  public static String of(FamilySpec family) {
    int versions = family.maxVersions();
    return "%s %s %s"
        .formatted(
            family.time(),
            versions == FamilySpec.ALL_VERSIONS ? ALL : String.valueOf(versions),
            family.name());
  }

  /**
   * Reads what {@link #of} wrote.
   *
   * @throws IllegalArgumentException naming the line if it is damaged
   */
  public static FamilySpec family(String line) {
    String[] words = line.split(" ", 3);
    if (words.length < 3) {
      throw new IllegalArgumentException("'%s' is no line of a family".formatted(line));
    }
    return new FamilySpec(
        words[2],
        TimeUse.valueOf(words[0]),
        words[1].equals(ALL) ? FamilySpec.ALL_VERSIONS : Integer.parseInt(words[1]));
  }

  /** All lines as {@link #family} reads them, each behind a prefix that is not part of it. */
  public static List<FamilySpec> families(List<String> lines, String prefix) {
    List<FamilySpec> families = new ArrayList<>();
    for (String line : lines) {
      families.add(family(after(prefix, line)));
    }
    return families;
  }

  /**
   * What stands behind a word that a line begins with.
   *
   * @throws IllegalArgumentException naming the line if it begins otherwise
   */
  public static String after(String word, String line) {
    if (!line.startsWith(word)) {
      throw new IllegalArgumentException("'%s' does not begin with '%s'".formatted(line, word));
    }
    return line.substring(word.length());
  }
}
