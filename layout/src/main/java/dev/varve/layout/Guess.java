package dev.varve.layout;

import dev.varve.model.Bytes;
import java.util.List;
import java.util.Map;

/**
 * A guess at the parameters with which another server created its tables.
 *
 * @param evidence the supporting observations, in words
 * @param demand which parameter cannot be inferred from the tables and must be given, and why;
 *     empty if there is none
 */
public record Guess(Map<String, String> parameters, List<String> evidence, String demand) {
  /**
   * Minimum number of rows in a sample of which some may stay unexplained; in smaller samples, none
   * may.
   */
  private static final int ROWS_MIN = 20;

  /** Number of rows that may stay unexplained in any sample of at least {@link #ROWS_MIN}. */
  private static final int UNEXPLAINED_ALWAYS = 2;

  /** Percentage of rows that may stay unexplained, if that is more. */
  private static final int UNEXPLAINED_PERCENT = 1;

  public Guess {
    parameters = Map.copyOf(parameters);
    evidence = List.copyOf(evidence);
  }

  public Guess(Map<String, String> parameters, List<String> evidence) {
    this(parameters, evidence, "");
  }

  /**
   * A sample of cells that a guess needs.
   *
   * @param table index of the table in {@link Layout#tables()}
   * @param families families of the table, in its order
   * @param rows the rows to read; empty for some from all over the table
   */
  public record Sample(int table, List<Integer> families, List<Bytes> rows) {
    public Sample {
      families = List.copyOf(families);
      rows = List.copyOf(rows);
    }
  }

  /**
   * Returns how many of the sampled rows of a table may be unreadable under a correct layout. Old
   * tables contain rows of names that were deleted later, or rows written by a server that was
   * misconfigured for an hour.
   *
   * @param rows number of sampled rows
   */
  public static int unexplainedMax(int rows) {
    return rows < ROWS_MIN ? 0 : Math.max(UNEXPLAINED_ALWAYS, rows * UNEXPLAINED_PERCENT / 100);
  }
}
