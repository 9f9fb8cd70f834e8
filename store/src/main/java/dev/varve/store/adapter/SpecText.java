package dev.varve.store.adapter;

import dev.varve.store.FamilySpec;
import dev.varve.store.TimeUse;
import java.util.ArrayList;
import java.util.List;

/**
 * The text form in which stores record a table's families, one per line: time use, versions, name.
 */
public final class SpecText {
  /*
   *   DATA all points
   *   CLOCK 1 tags
   */
  private static final String ALL = "all";

  private SpecText() {}

  /** Formats a family as a line without line terminator, such as {@code DATA all points}. */
  public static String of(FamilySpec family) {
    int versions = family.maxVersions();
    return "%s %s %s"
        .formatted(
            family.time(),
            versions == FamilySpec.ALL_VERSIONS ? ALL : String.valueOf(versions),
            family.name());
  }

  /**
   * Parses a line written by {@link #of}.
   *
   * @throws IllegalArgumentException naming the line if it is damaged
   */
  public static FamilySpec family(String line) {
    String[] words = line.split(" ", 3);
    if (words.length < 3) {
      throw new IllegalArgumentException("'%s' does not describe a family".formatted(line));
    }
    return new FamilySpec(
        words[2],
        TimeUse.valueOf(words[0]),
        words[1].equals(ALL) ? FamilySpec.ALL_VERSIONS : Integer.parseInt(words[1]));
  }

  /** Parses all lines as {@link #family} does, after removing a prefix from each. */
  public static List<FamilySpec> families(List<String> lines, String prefix) {
    List<FamilySpec> families = new ArrayList<>();
    for (String line : lines) {
      families.add(family(after(prefix, line)));
    }
    return families;
  }

  /**
   * Returns the rest of a line after its leading word.
   *
   * @throws IllegalArgumentException naming the line if it starts differently
   */
  public static String after(String word, String line) {
    if (!line.startsWith(word)) {
      throw new IllegalArgumentException("'%s' does not start with '%s'".formatted(line, word));
    }
    return line.substring(word.length());
  }
}
