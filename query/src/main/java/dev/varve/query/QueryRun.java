package dev.varve.query;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.request.PartedRead;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.threads.Workers;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.query.QueryPlan.PerSeries;
import dev.varve.query.QueryPlan.Select;
import dev.varve.query.limit.Memory;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.Outcome;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.Runs;
import dev.varve.store.Budget;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ReadCost;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A single run of a plan. {@link #into} may be called once, by one thread. {@link #cancel} may be
 * called from any thread at any time, even before {@link #into}.
 */
public final class QueryRun {
  private final QueryPlan plan;
  private final Runs runs;
  private final QueryUse use;
  private final SharedReads shared;
  private final int readers;
  private ReadCost closed = ReadCost.NOTHING;
  private long samples;
  private boolean countedAhead;
  private List<ResultSink> copies = List.of();

  /** Receives figures; null if the run is not analysed. */
  private @Nullable Analysis<QueryPlan, Select> analysis;

  private Supplier<ReadCost> open = () -> ReadCost.NOTHING;

  QueryRun(QueryPlan plan, Runs runs, QueryUse use) {
    this(plan, runs, use, new SharedReads(List.of(plan)), Workers.count());
  }

  /**
   * Creates the run of one of several plans.
   *
   * @param shared reads shared by these plans
   * @param readers maximum number of threads that read at once
   */
  QueryRun(QueryPlan plan, Runs runs, QueryUse use, SharedReads shared, int readers) {
    this.plan = plan;
    this.runs = runs;
    this.use = use;
    this.shared = shared;
    this.readers = readers;
  }

  /**
   * Runs the plan and passes the result to the sink as it arrives. An exception from the sink ends
   * the run.
   *
   * @throws QueryRefusedException if the plan cannot be run, or exceeds a limit
   * @throws ReadCancelledException if it was cancelled
   */
  public void into(ResultSink sink) {
    into(sink, List.of());
  }

  /**
   * Like {@link #into(ResultSink)}, for a plan that copies.
   *
   * @param receivers of each {@link QueryPlan.Copy}, by its index
   */
  public void into(ResultSink sink, List<? extends ResultSink> receivers) {
    copies = List.copyOf(receivers);
    use.describe(PlanAggregations.of(plan), 0);
    source(plan, null, Stage.into(new CountedSink(sink, use))).run(this);
  }

  /** Runs the plan, measures it and drops its result; copies go nowhere. */
  void into(Analysis<QueryPlan, Select> figures) {
    analysis = figures;
    Source source = source(plan, null, Stage.into(new CountedSink(Nowhere.SINK, use)));
    figures.enter(QueryPlan.sourceOf(plan));
    source.run(this);
    figures.enter(null);
  }

  /**
   * Makes the run fail with {@link ReadCancelledException} within 100 ms. Does nothing if it has
   * ended.
   */
  public void cancel() {
    use.stop(Outcome.GONE);
  }

  /** Returns the cost of the run in the stores so far. */
  public ReadCost cost() {
    return closed.plus(open.get());
  }

  /** Returns the number of samples read so far. */
  public long samples() {
    return samples;
  }

  /** Returns whether all samples were read before the first series was passed on. */
  public boolean countedAhead() {
    return countedAhead;
  }

  void allCounted() {
    countedAhead = true;
  }

  Runs runs() {
    return runs;
  }

  SharedReads shared() {
    return shared;
  }

  void count(long more) {
    samples += more;
  }

  Reading read(Select select, Selector selector, TimeRange times) {
    return new Reading(select, request(select, selector, times, use.limits()));
  }

  /** Processes the runs of some series. Returns whether those of other series are wanted. */
  interface SeriesReader<T> {
    boolean read(RunCursor runs, Consumer<T> into);
  }

  /**
   * Reads a selection, with several threads if it has many series.
   *
   * @param reader processes runs, on each thread
   * @param into receives the results in series order, on the calling thread
   * @return false if the reader ended the read
   */
  <T> boolean read(
      Select select, Selector selector, TimeRange times, SeriesReader<T> reader, Consumer<T> into) {
    PartedRead parts = runs.readInParts(request(select, selector, times, use.limits()));
    open = parts::cost;
    try {
      return new ParallelScan<T>(
              parts.size(),
              parts.leastPart(),
              readers,
              0,
              use.memory(),
              parts::cancel,
              (from, to, sink) -> {
                try (RunCursor cursor = parts.part(from, to)) {
                  return reader.read(measured(select, cursor), sink);
                }
              })
          .run(into);
    } finally {
      parts.close();
      close(select, parts.cost());
      open = () -> ReadCost.NOTHING;
    }
  }

  private RunCursor measured(Select select, RunCursor cursor) {
    return analysis == null ? cursor : analysis.read(select).through(cursor);
  }

  private void close(Select select, ReadCost cost) {
    closed = closed.plus(cost);
    if (analysis != null) {
      analysis.read(select).cost(cost);
    }
  }

  /** Returns the engine's request for a selection. */
  static ReadRequest request(
      Select select, Selector selector, TimeRange times, QueryLimits limits) {
    return new ReadRequest(
        selector,
        times,
        select.fields(),
        select.versions(),
        select.kinds(),
        ReadRequest.Order.SERIES_BY_SERIES,
        select.newest(),
        select.wholeTable(),
        new Budget(limits.cells(), limits.bytes()));
  }

  /**
   * Builds the stages of a plan from the end.
   *
   * @param user the operator that takes its result; null if it is the result of the run
   * @param last the stage of that operator
   */
  private Source source(QueryPlan node, @Nullable QueryPlan user, Stage last) {
    Memory memory = use.memory();
    Stage next = analysis == null ? last : new MeasuredStage(analysis, node, user, last);
    return switch (node) {
      case Select select ->
          select.newest() > 0
              ? new NewestSource(select, memory, next)
              : new Source.Selected(select, next);
      case QueryPlan.Merge merge -> new MergeSource(merge, memory, next);
      case QueryPlan.GroupBy group ->
          source(group.input(), group, new GroupByStage(group, resolution(), use, next));
      case QueryPlan.Align align -> source(align.input(), align, new AlignStage(align, use, next));
      case QueryPlan.Split split ->
          source(split.input(), split, new SplitStage(split, memory, next));
      case QueryPlan.Order order ->
          source(
              order.input(),
              order,
              order.by() != QueryPlan.Order.By.TIME
                  ? new OrderStages.SeriesOrder(order, memory, next)
                  : order.descending() ? new OrderStages.Backwards(memory, next) : next);
      case QueryPlan.Limit limit -> source(limit.input(), limit, new OrderStages.Cut(limit, next));
      case QueryPlan.Numbers numbers ->
          source(
              numbers.operator().input(),
              numbers,
              new TextBypass(stage(numbers.operator(), next), next));
      case PerSeries operator -> source(operator.input(), operator, stage(operator, next));
    };
  }

  private Stage stage(PerSeries operator, Stage next) {
    return switch (operator) {
      case QueryPlan.Downsample plan -> new DownsampleStage(plan, resolution(), use, next);
      case QueryPlan.Rolling plan -> new RollingStage(plan, resolution(), use, next);
      case QueryPlan.Rate plan -> PairStage.ofRates(plan, next);
      case QueryPlan.Difference _ -> PairStage.ofDifferences(next);
      case QueryPlan.Scale plan -> new MapStages.Scaling(plan, next);
      case QueryPlan.MovingAverage plan -> new MapStages.Moving(plan, next);
      case QueryPlan.Refuse plan -> new MapStages.Refusing(plan, next);
      case QueryPlan.Trim plan -> new MapStages.Trimming(plan, next);
      case QueryPlan.Drop plan -> new MapStages.Dropping(plan, next);
      case QueryPlan.Score plan -> new MapStages.Scoring(plan, next);
      case QueryPlan.Gaps plan -> new GapStage(plan, next);
      case QueryPlan.Copy plan -> new CopyStage(receiver(plan.receiver()), next);
    };
  }

  private ResultSink receiver(int index) {
    return analysis == null ? copies.get(index) : Nowhere.SINK;
  }

  private Resolution resolution() {
    return runs.resolution();
  }

  /** A cursor whose cost counts towards the run. */
  final class Reading implements AutoCloseable {
    private final Select select;
    private final RunCursor cursor;

    private Reading(Select select, ReadRequest request) {
      this.select = select;
      cursor = measured(select, runs.read(request));
      open = cursor::cost;
    }

    @Nullable Run next() {
      return cursor.next();
    }

    @Override
    public void close() {
      QueryRun.this.close(select, cursor.cost());
      open = () -> ReadCost.NOTHING;
      cursor.close();
    }
  }

  /** Drops what it receives. */
  private enum Nowhere implements ResultSink {
    SINK;

    @Override
    public void begin(ResultSeries series) {}

    @Override
    public void samples(Samples samples, int from, int to) {}

    @Override
    public void gap(long time) {}

    @Override
    public void end() {}
  }
}
