package dev.varve.engine.heat;

/**
 * A problem that a heat map shows.
 *
 * @param row the row to look at
 * @param text describes the problem with its numbers, in a sentence or two
 */
public record HeatFinding(Kind kind, RowName row, String text) {
  /** What was found. */
  public enum Kind {
    /** One partition has a large share of the load. */
    HOT_PARTITION("hot partition"),
    /** Writes move on through the table, always to its newest rows. */
    TIME_LEADING_KEY("time-leading key"),
    /** A row, or partition, is larger than recommended for the store. */
    OVERSIZED_ROW("oversized row");

    private final String words;

    Kind(String words) {
      this.words = words;
    }

    /** Returns the kind in words. */
    public String words() {
      return words;
    }
  }
}
