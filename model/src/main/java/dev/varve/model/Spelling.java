package dev.varve.model;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/** Suggests a known name for a misspelled one, for use in messages. */
public final class Spelling {
  private Spelling() {}

  /**
   * Returns the known name with the smallest edit distance, ignoring case; the first one if several
   * tie.
   *
   * @param known at least one name
   */
  public static String nearest(String name, Collection<String> known) {
    String wanted = name.toLowerCase(Locale.ROOT);
    return known.stream()
        .min(
            Comparator.comparingInt(
                candidate -> distance(wanted, candidate.toLowerCase(Locale.ROOT))))
        .orElseThrow();
  }

  /** Levenshtein distance (1966), computed row by row: characters to insert, delete or change. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
