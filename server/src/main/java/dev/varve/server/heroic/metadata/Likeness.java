package dev.varve.server.heroic.metadata;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Scores texts by how well they match the text that a user has typed so far. Ignores case. */
final class Likeness {
  private final String typed;

  /**
   * Creates a measure.
   *
   * @param typed null if nothing was typed, which every text matches
   */
  Likeness(@Nullable String typed) {
    this.typed = typed == null ? "" : typed.toLowerCase(Locale.ROOT);
  }

  /**
   * Returns 3 for a text that equals what was typed, 2 for one that begins with it, 1 for one of
   * which a word begins with it, and 0 for others. Words begin after signs, and where a capital
   * follows a small letter.
   */
  double score(String text) {
    String folded = text.toLowerCase(Locale.ROOT);
    if (typed.isEmpty()) {
      return 1;
    }
    if (folded.equals(typed)) {
      return 3;
    }
    if (folded.startsWith(typed)) {
      return 2;
    }
    // Folding may change the length of a text; then only its signs tell words apart.
    String letters = folded.length() == text.length() ? text : folded;
    for (int i = 1; i < folded.length(); i++) {
      if (beginsWord(letters, i) && folded.startsWith(typed, i)) {
        return 1;
      }
    }
    return 0;
  }

  private static boolean beginsWord(String text, int at) {
    char before = text.charAt(at - 1);
    char here = text.charAt(at);
    return Character.isLetterOrDigit(here)
        && (!Character.isLetterOrDigit(before)
            || (Character.isLowerCase(before) && Character.isUpperCase(here)));
  }
}
