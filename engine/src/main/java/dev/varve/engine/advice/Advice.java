package dev.varve.engine.advice;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The advisor's recommendation for the layouts of a dataset, with its reasons and the costs.
 *
 * @param at time of the advice, in milliseconds since 1970
 * @param layout the layouts that the dataset has now, primary first
 * @param missing inputs that the advisor lacked, in words
 * @param reasons rules that apply, the most telling first; never empty
 * @param read mean cost of a query in the present layouts, as planned
 * @param write cost of writing in the present layouts
 * @param proposal the proposed change; null to keep the layouts
 * @param queries the kinds of queries by which layouts were weighed, those with most weight first
 */
public record Advice(
    String dataset,
    long at,
    List<String> layout,
    Verdict verdict,
    List<String> missing,
    List<Reason> reasons,
    ReadCosts read,
    WriteCosts write,
    @Nullable Proposal proposal,
    List<QueryAdvice> queries) {
  public Advice {
    layout = List.copyOf(layout);
    missing = List.copyOf(missing);
    reasons = List.copyOf(reasons);
    queries = List.copyOf(queries);
  }

  /** The recommended action. */
  public enum Verdict {
    /** Keep the layout: it is right, or no other layout is enough better to justify a change. */
    KEEP,
    /** Change to another layout, which is better. */
    CHANGE,
    /** Add a second layout beside the present one. */
    COMPANION,
    /** None: too little is known. */
    UNKNOWN
  }

  /**
   * A rule that applies.
   *
   * @param text the finding, with its numbers and the threshold
   */
  public record Reason(Rule rule, String text) {}

  /**
   * The mean cost of a query.
   *
   * @param requests ranges of rows that are sought
   * @param rows rows read
   * @param cells cells read
   * @param bytes bytes of these cells: row keys, qualifiers and values
   * @param cost all of that, as the planner weighs it, in units of rows
   */
  public record ReadCosts(double requests, double rows, double cells, double bytes, double cost) {
    public static final ReadCosts NONE = new ReadCosts(0, 0, 0, 0, 0);

    /** Returns the sum with a share of another cost. */
    ReadCosts plus(ReadCosts other, double share) {
      return new ReadCosts(
          requests + share * other.requests,
          rows + share * other.rows,
          cells + share * other.cells,
          bytes + share * other.bytes,
          cost + share * other.cost);
    }
  }

  /**
   * The cost of writing.
   *
   * @param cells cells of a sample, in all layouts together
   * @param bytes bytes of these cells
   * @param hottest share of all writes that go to the busiest place, 0 to 1. A place is a
   *     partition, or the rows that have the same key parts before the time
   * @param largestRow bytes of the largest row or partition, when it is full
   */
  public record WriteCosts(double cells, double bytes, double hottest, double largestRow) {
    public static final WriteCosts NONE = new WriteCosts(0, 0, 0, 0);
  }

  /**
   * A proposed change.
   *
   * @param layouts all layouts of the new period, primary first
   * @param commands the steps to take, in order
   */
  public record Proposal(
      List<ProposedLayout> layouts, ReadCosts read, WriteCosts write, List<Command> commands) {
    public Proposal {
      layouts = List.copyOf(layouts);
      commands = List.copyOf(commands);
    }
  }

  /**
   * A layout of the proposal.
   *
   * @param key the parts of the row key, in words
   * @param yaml the declaration; null if there is none, as for {@code blocks}
   */
  public record ProposedLayout(String name, String key, @Nullable String yaml) {}

  /**
   * A step.
   *
   * @param about the effect of the step
   * @param text the text to save, or the command to run
   */
  public record Command(String about, String text) {}

  /**
   * A kind of query.
   *
   * @param query the kind in words
   * @param count number of times that it ran
   * @param share its share of all queries that were weighed, 0 to 1
   * @param measured its mean cost when it ran
   * @param present its expected mean cost in the present layouts
   * @param proposed its expected mean cost in the proposed layouts; null without a proposal
   */
  public record QueryAdvice(
      String query,
      long count,
      double share,
      ReadCosts measured,
      ReadCosts present,
      @Nullable ReadCosts proposed) {}
}
