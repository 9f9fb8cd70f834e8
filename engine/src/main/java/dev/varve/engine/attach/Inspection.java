package dev.varve.engine.attach;

import dev.varve.layout.Guess;
import dev.varve.layout.Layout;
import java.util.List;
import java.util.Map;

/**
 * The result of inspecting foreign tables.
 *
 * @param tables the tables of the layout, in its order
 * @param candidates possible layouts, the one that explains the most rows first
 */
public record Inspection(List<FoundTable> tables, List<Candidate> candidates) {
  public Inspection {
    tables = List.copyOf(tables);
    candidates = List.copyOf(candidates);
  }

  /**
   * An inspected table.
   *
   * @param table the name of the table in the layout
   * @param name the name of the table in the store
   * @param there whether the store has the table
   * @param problems human-readable reasons why the table cannot be read
   */
  public record FoundTable(String table, String name, boolean there, List<String> problems) {}

  /**
   * A possible layout of the tables.
   *
   * @param parameters given or inferred parameters
   * @param evidence reasons for the inferred parameters, before any row was decoded with them
   * @param rows number of rows tried
   * @param explained number of rows whose cells the layout decodes completely
   * @param examples human-readable examples of both kinds of rows
   * @param refusal why the tables themselves contradict this layout; empty if they do not
   * @param demand the parameter that cannot be inferred from the tables, and why; empty if there is
   *     none
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

  /** Returns whether every required table can be read. */
  public boolean isReadable() {
    return tables.stream().allMatch(table -> table.problems().isEmpty());
  }

  /**
   * Returns the candidates whose parameters are all known and that explain all rows tried, except
   * for the few damaged rows that any old table contains.
   */
  public List<Candidate> whole() {
    return explaining().stream().filter(candidate -> candidate.demand().isEmpty()).toList();
  }

  /** Returns the parameters that must be given before a candidate can be chosen. */
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
