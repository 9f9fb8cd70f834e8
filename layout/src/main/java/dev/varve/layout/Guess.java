package dev.varve.layout;

import dev.varve.model.Bytes;
import java.util.List;
import java.util.Map;

/**
 * Parameters with which the tables of another server may have been made, see {@link Inference}.
 *
 * @param evidence what speaks for them, in words
 * @param demand which of them cannot be told from the tables and has to be given, and why; empty
 *     where there is none
 */
public record Guess(Map<String, String> parameters, List<String> evidence, String demand) {
  /** Of fewer rows each has to be explained. */
  private static final int ROWS_MIN = 20;

  private static final int UNEXPLAINED_ALWAYS = 2;
  private static final int UNEXPLAINED_PERCENT = 1;

  public Guess {
    parameters = Map.copyOf(parameters);
    evidence = List.copyOf(evidence);
  }

  public Guess(Map<String, String> parameters, List<String> evidence) {
    this(parameters, evidence, "");
  }

  /**
   * Cells that a guess takes.
   *
   * @param table the place of the table in {@link Layout#tables()}
   * @param families of the table, in its order
   * @param rows which rows to read; none for some from all over the table
   */
  public record Sample(int table, List<Integer> families, List<Bytes> rows) {
    public Sample {
      families = List.copyOf(families);
      rows = List.copyOf(rows);
    }
  }

  /**
   * How many rows of a table may be none of a layout that is right: an old table has rows of names
   * that were deleted since, or of a server that had another configuration for an hour.
   */
  public static int unexplainedMax(int rows) {
    return rows < ROWS_MIN ? 0 : Math.max(UNEXPLAINED_ALWAYS, rows * UNEXPLAINED_PERCENT / 100);
  }
}
