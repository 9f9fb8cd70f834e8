package dev.varve.query;

import dev.varve.engine.PartedRead;
import dev.varve.engine.QueryRefusedException;
import dev.varve.engine.ReadRequest;
import dev.varve.engine.RunCursor;
import dev.varve.engine.Workers;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.query.QueryPlan.PerSeries;
import dev.varve.query.QueryPlan.Select;
import dev.varve.query.running.Outcome;
import dev.varve.query.running.QueryUse;
import dev.varve.store.Budget;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ReadCost;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a plan. {@link #into} is called once, by one thread; {@link #cancel} may come from any
 * thread, also before.
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
  private Supplier<ReadCost> open = () -> ReadCost.NOTHING;

  QueryRun(QueryPlan plan, Runs runs, QueryUse use) {
    this(plan, runs, use, new SharedReads(List.of(plan)), Workers.count());
  }

  /**
   * One of several plans of a query.
   *
   * @param shared what they read alike
   * @param readers how many threads may read for it at once
   */
  QueryRun(QueryPlan plan, Runs runs, QueryUse use, SharedReads shared, int readers) {
    this.plan = plan;
    this.runs = runs;
    this.use = use;
    this.shared = shared;
    this.readers = readers;
  }

  /**
   * Runs the plan and hands the result to the sink as it comes. What the sink throws ends the run.
   *
   * @throws QueryRefusedException if the plan cannot be run, or needs more than it may
   * @throws ReadCancelledException if it was cancelled
   */
  public void into(ResultSink sink) {
    source(plan, Stage.into(new CountedSink(sink, use))).run(this);
  }

  /**
   * Makes the run fail with {@link ReadCancelledException} within 100 ms; nothing if it is over.
   */
  public void cancel() {
    use.stop(Outcome.GONE);
  }

  /** What the stores have done for it so far. */
  public ReadCost cost() {
    return closed.plus(open.get());
  }

  /** How many samples were read so far. */
  public long samples() {
    return samples;
  }

  /** Whether all samples were read before the first series was handed on. */
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
    return new Reading(request(select, selector, times, use.limits()));
  }

  /** Makes something of the runs of some series. */
  interface SeriesReader<T> {
    void read(RunCursor runs, Consumer<T> into);
  }

  /**
   * Reads a selection by several threads where it has many series.
   *
   * @param reader what each thread does
   * @param into takes what became of the series, in their order, on the thread that calls
   */
  <T> void read(
      Select select, Selector selector, TimeRange times, SeriesReader<T> reader, Consumer<T> into) {
    PartedRead parts = runs.readInParts(request(select, selector, times, use.limits()));
    open = parts::cost;
    try {
      new ParallelScan<T>(
              parts.size(),
              parts.leastPart(),
              readers,
              0,
              use.memory(),
              parts::cancel,
              (from, to, sink) -> {
                try (RunCursor cursor = parts.part(from, to)) {
                  reader.read(cursor, sink);
                }
              })
          .run(into);
    } finally {
      parts.close();
      closed = closed.plus(parts.cost());
      open = () -> ReadCost.NOTHING;
    }
  }

  /** The engine's request for a selection. */
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

  private Source source(QueryPlan node, Stage next) {
    Memory memory = use.memory();
    return switch (node) {
      case Select select ->
          select.newest() > 0
              ? new NewestSource(select, memory, next)
              : new Source.Selected(select, next);
      case QueryPlan.Merge merge -> new MergeSource(merge, memory, next);
      case QueryPlan.GroupBy group ->
          source(group.input(), new GroupByStage(group, resolution(), use, next));
      case QueryPlan.Split split -> source(split.input(), new SplitStage(split, memory, next));
      case QueryPlan.Order order ->
          source(
              order.input(),
              order.by() != QueryPlan.Order.By.TIME
                  ? new OrderStages.SeriesOrder(order, memory, next)
                  : order.descending() ? new OrderStages.Backwards(memory, next) : next);
      case QueryPlan.Limit limit -> source(limit.input(), new OrderStages.Cut(limit, next));
      case QueryPlan.Numbers numbers ->
          source(numbers.operator().input(), new TextBypass(stage(numbers.operator(), next), next));
      case PerSeries operator -> source(operator.input(), stage(operator, next));
    };
  }

  private Stage stage(PerSeries operator, Stage next) {
    return switch (operator) {
      case QueryPlan.Downsample plan -> new DownsampleStage(plan, resolution(), use, next);
      case QueryPlan.Rate plan -> new PairStage(plan, next);
      case QueryPlan.Difference plan -> new PairStage(plan, next);
      case QueryPlan.Scale plan -> new MapStages.Scaling(plan, next);
      case QueryPlan.MovingAverage plan -> new MapStages.Moving(plan, next);
      case QueryPlan.Refuse plan -> new MapStages.Refusing(plan, next);
      case QueryPlan.Trim plan -> new MapStages.Trimming(plan, next);
      case QueryPlan.Drop plan -> new MapStages.Dropping(plan, next);
      case QueryPlan.Score plan -> new MapStages.Scoring(plan, next);
      case QueryPlan.Gaps plan -> new GapStage(plan, next);
    };
  }

  private Resolution resolution() {
    return runs.resolution();
  }

  /** A cursor whose cost the run keeps. */
  final class Reading implements AutoCloseable {
    private final RunCursor cursor;

    private Reading(ReadRequest request) {
      cursor = runs.read(request);
      open = cursor::cost;
    }

    @Nullable Run next() {
      return cursor.next();
    }

    @Override
    public void close() {
      closed = closed.plus(cursor.cost());
      open = () -> ReadCost.NOTHING;
      cursor.close();
    }
  }
}
