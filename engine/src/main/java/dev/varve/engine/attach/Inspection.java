package dev.varve.engine.attach;

import dev.varve.layout.Guess;
import dev.varve.layout.Layout;
import java.util.List;
import java.util.Map;

/**
 * What was found at the tables of another server.
 *
 * @param tables those of the layout, in its order
 * @param candidates ways to read them, the one that explains most first
 */
public record Inspection(List<FoundTable> tables, List<Candidate> candidates) {
  public Inspection {
    tables = List.copyOf(tables);
    candidates = List.copyOf(candidates);
  }

  /**
   * A table.
   *
   * @param table as the layout calls it
   * @param name as its store does
   * @param problems why it cannot be read, in words
   */
  public record FoundTable(String table, String name, boolean there, List<String> problems) {}

  /**
   * A layout that may be that of the tables.
   *
   * @param parameters that were given or guessed
   * @param evidence what speaks for the parameters before any row was read with them
   * @param rows how many were tried
   * @param explained how many of them are rows of the layout, every cell of them
   * @param examples of both kinds, in words
   * @param refusal why the tables say themselves that it is another; empty where they do not
   * @param demand which parameter the tables do not tell, and why; empty where there is none
   */
  public record Candidate(
      Layout layout,
      Map<String, String> parameters,
      List<String> evidence,
      int rows,
      int explained,
      List<String> examples,
      String refusal,
      String demand) {}

  /** Whether every table that matters can be read. */
  public boolean isReadable() {
    return tables.stream().allMatch(table -> table.problems().isEmpty());
  }

  /**
   * The candidates that explain the rows that were tried, all of them or all but the few that any
   * old table has, and whose parameters are all known.
   */
  public List<Candidate> whole() {
    return explaining().stream().filter(candidate -> candidate.demand().isEmpty()).toList();
  }

  /** What has to be given before one of the candidates can be chosen. */
  public List<String> demands() {
    return explaining().stream()
        .map(Candidate::demand)
        .filter(demand -> !demand.isEmpty())
        .distinct()
        .toList();
  }

  private List<Candidate> explaining() {
    return candidates.stream()
        .filter(candidate -> candidate.refusal().isEmpty())
        .filter(candidate ->
            candidate.rows() - candidate.explained() <= Guess.unexplainedMax(candidate.rows()))
        .toList();
  }
}
