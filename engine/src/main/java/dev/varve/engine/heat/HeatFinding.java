package dev.varve.engine.heat;

/**
 * A problem that a heat map shows.
 *
 * @param kind the kind of problem
 * @param row a row that shows it: one of the hot partition, the newest one, or the oversized one
 * @param text describes the problem with its numbers, in a sentence or two
 */
public record HeatFinding(Kind kind, RowName row, String text) {
  /** A kind of problem. */
  public enum Kind {
    /** One partition has a quarter of the reads or writes, or more. */
    HOT_PARTITION("hot partition"),
    /** Writes go to rows after, or before, all earlier ones: one server takes all of them. */
    TIME_LEADING_KEY("time-leading key"),
    /** A row has at least half the bytes from which the store slows down. */
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
