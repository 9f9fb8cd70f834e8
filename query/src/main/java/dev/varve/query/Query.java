package dev.varve.query;

import dev.varve.engine.Dataset;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.threads.Workers;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.query.QueryPlan.Downsample.Stamp;
import dev.varve.query.QueryPlan.Select;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.Runs;
import java.util.List;
import java.util.Set;

/**
 * An immutable query, built step by step; each step returns a new query. Steps are executed in the
 * order of the calls.
 *
 * <pre>{@code
 * Query.of("cpu{host=~\"web.*\"}", TimeRange.closed(from, to))
 *     .downsample(Windows.parse("1h", ZoneOffset.UTC, dataset.resolution()), Aggregation.Basic.AVG)
 *     .groupBy(List.of("dc"), Aggregation.Basic.MAX)
 *     .on(dataset)
 *     .into(sink);
 * }</pre>
 */
public final class Query {
  private final QueryPlan plan;
  private final QueryLimits limits;

  private Query(QueryPlan plan, QueryLimits limits) {
    this.plan = plan;
    this.limits = limits;
  }

  /**
   * Selects series with PromQL's selector syntax.
   *
   * @throws SelectorSyntaxException if the selector is invalid
   */
  public static Query of(String selector, TimeRange times) {
    return of(SelectorParser.parse(selector), times);
  }

  public static Query of(Selector selector, TimeRange times) {
    return of(Select.of(selector, times));
  }

  public static Query of(QueryPlan plan) {
    return new Query(plan, QueryLimits.DEFAULTS);
  }

  public Query limits(QueryLimits other) {
    return new Query(plan, other);
  }

  /** Restricts the selection to some fields. */
  public Query fields(Set<String> fields) {
    Select s = select("fields");
    return with(
        new Select(
            s.selector(),
            s.times(),
            Set.copyOf(fields),
            s.versions(),
            s.kinds(),
            s.newest(),
            s.wholeTable()));
  }

  /** Selects the latest samples, those as of a stamp, or all versions. */
  public Query versions(Versions versions) {
    Select s = select("versions");
    return with(
        new Select(
            s.selector(), s.times(), s.fields(), versions, s.kinds(), s.newest(), s.wholeTable()));
  }

  public Query kinds(Kinds kinds) {
    Select s = select("kinds");
    return with(
        new Select(
            s.selector(), s.times(), s.fields(), s.versions(), kinds, s.newest(), s.wholeTable()));
  }

  /**
   * Limits the selection to the newest samples of each series, returned in ascending order of time.
   */
  public Query newest(int samples) {
    Select s = select("newest");
    return with(
        new Select(
            s.selector(), s.times(), s.fields(), s.versions(), s.kinds(), samples, s.wholeTable()));
  }

  /** Allows the query to scan a whole table. */
  public Query wholeTable() {
    Select s = select("wholeTable");
    return with(
        new Select(s.selector(), s.times(), s.fields(), s.versions(), s.kinds(), s.newest(), true));
  }

  /** Emits one sample per non-empty window, at its start. */
  public Query downsample(Windows windows, Aggregation aggregation) {
    return with(new QueryPlan.Downsample(plan, windows, aggregation, Stamp.START));
  }

  /**
   * Computes the change per span from sample to sample. {@code counter} treats a decrease as a
   * reset to zero.
   */
  public Query rate(Span per, boolean counter) {
    return with(new QueryPlan.Rate(plan, per, counter, true));
  }

  /**
   * Gives series that share the values of some labels samples at the same instants, for a later
   * {@link #groupBy}.
   */
  public Query align(List<String> labels, QueryPlan.Align.Interpolation between) {
    return with(new QueryPlan.Align(plan, labels, between));
  }

  /** Emits one sample per window of a grid, from all samples in the extent before its end. */
  public Query rolling(Windows windows, long extent, Aggregation aggregation) {
    return with(
        new QueryPlan.Rolling(plan, windows, extent, aggregation, QueryPlan.Rolling.Edge.END));
  }

  /** Aggregates the series that share the values of some labels. */
  public Query groupBy(List<String> labels, Aggregation aggregation) {
    return with(new QueryPlan.GroupBy(plan, labels, aggregation));
  }

  public Query order(QueryPlan.Order.By by, boolean descending) {
    return with(new QueryPlan.Order(plan, by, descending));
  }

  /** Keeps the first series, and the first samples of each; 0 for all. */
  public Query limit(long series, long samples) {
    return with(new QueryPlan.Limit(plan, series, samples));
  }

  public QueryPlan plan() {
    return plan;
  }

  /** Prepares the query to run. */
  public QueryRun on(Dataset dataset) {
    return on(dataset, QueryUse.of(limits));
  }

  /** Prepares the query to run as part of a use. The limits of the use apply. */
  public QueryRun on(Dataset dataset, QueryUse use) {
    return new QueryRun(plan, use.runs(dataset), use);
  }

  /**
   * Prepares several plans to run as parts of one query, each once, one after another. A read that
   * several merges share is done once if its samples fit in a quarter of the query's memory.
   *
   * @return a run for each plan
   */
  public static List<QueryRun> inTurn(List<QueryPlan> plans, Dataset dataset, QueryUse use) {
    Runs runs = use.runs(dataset);
    SharedReads shared = new SharedReads(plans);
    return plans.stream()
        .map(plan -> new QueryRun(plan, runs, use, shared, Workers.count()))
        .toList();
  }

  /** Explains the query within its limits, as the form for several plans does. */
  public PlanExplanation explain(Dataset dataset, boolean analyze) {
    return explain(List.of(plan), "query", dataset, QueryUse.of(limits), analyze);
  }

  /**
   * Explains the plans of one request: their operators, and how their samples are read.
   *
   * @param root name of the request, in a word or two
   * @param analyze whether to run the plans as well and measure them; their results are dropped,
   *     and nothing is written
   */
  public static PlanExplanation explain(
      List<QueryPlan> plans, String root, Dataset dataset, QueryUse use, boolean analyze) {
    Analysis<QueryPlan, Select> analysis = analyze ? new Analysis<>() : null;
    if (analysis != null) {
      inTurn(plans, dataset, use).forEach(run -> run.into(analysis));
    }
    long nanos = analysis == null ? 0 : analysis.nanos();
    PlanOutline outline = new PlanOutline(dataset.resolution(), use.limits(), analysis);
    return Outline.of(root, "", plans.stream().map(outline::of).toList())
        .explain(List.of(), nanos, request -> dataset.explain(request, false, use));
  }

  private Query with(QueryPlan next) {
    return new Query(next, limits);
  }

  private Select select(String step) {
    if (plan instanceof Select select) {
      return select;
    }
    throw new QueryRefusedException(step + " belongs to the selection and comes before operators");
  }
}
