package dev.varve.query.promql.eval;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.threads.Workers;
import dev.varve.query.Analysis;
import dev.varve.query.Outline;
import dev.varve.query.PlanExplanation;
import dev.varve.query.ReadOutline;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.PromQlException;
import dev.varve.query.promql.ValueType;
import dev.varve.query.promql.plan.Lowering;
import dev.varve.query.promql.plan.OptimisedPlan;
import dev.varve.query.promql.plan.Optimiser;
import dev.varve.query.promql.plan.PlanWords;
import dev.varve.query.promql.plan.Scan;
import dev.varve.query.promql.plan.StepPlan;
import dev.varve.query.promql.plan.StepTimes;
import dev.varve.query.running.Outcome;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.Runs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A single run of a PromQL query. Use it once, from one thread; {@link #cancel} may be called from
 * any thread.
 */
public final class PromQuery {
  private final Expr expr;
  private final Notes notes;
  private final PromSettings settings;
  private final QueryUse use;
  private final DatasetSamples samples;

  /**
   * Creates a standalone query of a dataset with default limits.
   *
   * @throws dev.varve.query.promql.PromQlException if the text is not a valid query
   */
  public PromQuery(String query, Runs runs) {
    this(query, runs, QueryUse.of(QueryLimits.DEFAULTS), PromSettings.DEFAULTS);
  }

  /**
   * Creates a standalone query with the given settings.
   *
   * @throws dev.varve.query.promql.PromQlException if the text is not a valid query
   */
  public PromQuery(String query, Runs runs, PromSettings settings) {
    this(query, runs, QueryUse.of(QueryLimits.DEFAULTS), settings);
  }

  /**
   * Creates a query as part of a use.
   *
   * @param runs the runs of the dataset, which do not count against limits yet
   * @throws dev.varve.query.promql.PromQlException if the text is not a valid query
   */
  public PromQuery(String query, Runs runs, QueryUse use, PromSettings settings) {
    this(query, runs, use, settings, Workers.count());
  }

  /**
   * Creates a query with a given number of reading threads.
   *
   * @param readers maximum number of threads that read at once
   * @throws dev.varve.query.promql.PromQlException if the text is not a valid query
   */
  public PromQuery(String query, Runs runs, QueryUse use, PromSettings settings, int readers) {
    this(query, use.runs(runs), settings, use, readers);
  }

  /**
   * Creates a query of a dataset as part of a use, which also observes reads inside the engine.
   *
   * @throws dev.varve.query.promql.PromQlException if the text is not a valid query
   */
  public PromQuery(String query, Dataset dataset, QueryUse use, PromSettings settings) {
    this(query, use.runs(dataset), settings, use, Workers.count());
  }

  private PromQuery(String query, Runs counted, PromSettings settings, QueryUse use, int readers) {
    this.expr = PromQl.parse(query);
    this.notes = new Notes(query);
    this.settings = settings;
    this.use = use;
    this.samples = new DatasetSamples(counted, use, readers);
  }

  /** Returns the notes about the query; complete when it has ended. */
  public Notes notes() {
    return notes;
  }

  /** Returns the number of samples read so far. */
  public long samplesRead() {
    return use.samplesRead();
  }

  /** Makes the query fail with ReadCancelledException within 100 ms. */
  public void cancel() {
    use.stop(Outcome.GONE);
  }

  /**
   * Evaluates the query at one time.
   *
   * @param time in ms since 1970
   * @throws PromQlEvaluationException if the query cannot be evaluated on the series
   * @throws dev.varve.engine.error.QueryRefusedException if the query exceeds a limit
   */
  public PromResult instant(long time) {
    if (expr.type() == ValueType.STRING) {
      return new PromResult.Text(time, Lowering.text(expr));
    }
    RowMemory held = held();
    OptimisedPlan plan = plan(time, time, StepTimes.at(time));
    Evaluator evaluator = evaluator(plan, held, null);
    return switch (plan.root()) {
      case StepPlan.Scalar number -> new PromResult.Scalar(time, evaluator.number(number)[0]);
      case StepPlan.Vector vector -> {
        List<PromResult.Element> elements = new ArrayList<>();
        evaluator.vector(
            vector,
            (labels, column) -> {
              held.samples(labels, 1);
              elements.add(new PromResult.Element(labels, column.get(0)));
            });
        yield new PromResult.Vector(time, elements);
      }
      case StepPlan.Range range -> {
        List<PromResult.Line> lines = new ArrayList<>();
        evaluator.samples(
            range,
            (labels, vector) -> {
              held.samples(labels, vector.size());
              lines.add(line(labels, vector));
            });
        lines.sort(held.asking(Comparator.comparing(PromResult.Line::labels)));
        yield new PromResult.Matrix(lines);
      }
    };
  }

  private RowMemory held() {
    return new RowMemory(use);
  }

  private OptimisedPlan plan(long start, long end, StepTimes steps) {
    use.describe(AggregationText.of(expr), steps.count() > 1 ? steps.step() : 0);
    return Optimiser.optimise(lowered(start, end, steps), samples::count, use.limits().memory());
  }

  /** Returns the plan before optimisation. */
  StepPlan lowered(long start, long end, StepTimes steps) {
    Lowering lowering =
        new Lowering(
            start, end, settings.lookback().toMillis(), settings.subqueryStep().toMillis());
    return lowering.plan(expr, steps);
  }

  private Evaluator evaluator(
      OptimisedPlan plan, RowMemory held, @Nullable Analysis<StepPlan, Scan> analysis) {
    notes.alsoAt(plan.alsoAt());
    return new Evaluator(samples, plan, notes, held, analysis);
  }

  /**
   * Explains how the query is executed.
   *
   * @param start the first step of a range query, in ms since 1970
   * @param end the last step of a range query, or the time of an instant query
   * @param step the step of a range query; null for an instant query
   * @param analyze whether to run the query and measure it; its result is dropped
   * @param reads explains reads of the dataset
   * @throws dev.varve.engine.error.QueryRefusedException as for the query itself
   */
  public PlanExplanation explain(
      long start,
      long end,
      @Nullable Duration step,
      boolean analyze,
      Function<ReadRequest, QueryExplanation> reads) {
    if (expr.type() == ValueType.STRING) {
      return Outline.of("text", Lowering.text(expr), List.of()).explain(List.of(), 0, reads);
    }
    StepTimes steps = step == null ? StepTimes.at(end) : steps(start, end, step);
    OptimisedPlan plan = plan(step == null ? end : start, end, steps);
    Analysis<StepPlan, Scan> analysis = analyze ? new Analysis<>() : null;
    if (analysis != null) {
      samples.analyse(analysis);
      run(plan, analysis);
    }
    long nanos = analysis == null ? 0 : analysis.nanos();
    PlanWords words =
        new PlanWords(
            plan,
            node -> analysis == null ? null : analysis.figures(node),
            scan -> outline(scan, analysis));
    return words.outline().explain(plan.notes(), nanos, reads);
  }

  private ReadOutline outline(Scan scan, @Nullable Analysis<StepPlan, Scan> analysis) {
    boolean readsNothing = scan.to() < scan.from();
    return new ReadOutline(
        PlanWords.selector(scan),
        scan.from(),
        scan.to(),
        PlanWords.labels(scan),
        scan.recurring(),
        readsNothing ? null : samples.request(scan),
        analysis == null ? null : analysis.read(scan).actual());
  }

  /** Runs a plan and drops its result. */
  private void run(OptimisedPlan plan, Analysis<StepPlan, Scan> analysis) {
    Evaluator evaluator = evaluator(plan, held(), analysis);
    switch (plan.root()) {
      case StepPlan.Scalar number -> evaluator.number(number);
      case StepPlan.Vector vector -> evaluator.vector(vector, (labels, column) -> {});
      case StepPlan.Range range -> evaluator.samples(range, (labels, vector) -> {});
    }
    analysis.enter(null);
  }

  private static PromResult.Line line(Labels labels, SampleVector vector) {
    int size = vector.size();
    return new PromResult.Line(
        labels, Arrays.copyOf(vector.times(), size), Arrays.copyOf(vector.values(), size));
  }

  /**
   * Evaluates the query for a range of steps.
   *
   * @param start time of the first step, in ms since 1970
   * @param end latest time of the last step
   * @param step at least 1 ms
   * @throws PromQlException if the query cannot be a range query
   * @throws PromQlEvaluationException if the query cannot be evaluated on the series
   * @throws dev.varve.engine.error.QueryRefusedException if the query exceeds a limit
   */
  public PromResult.Matrix range(long start, long end, Duration step) {
    StepTimes steps = steps(start, end, step);
    return matrix(plan(start, end, steps), steps);
  }

  private StepTimes steps(long start, long end, Duration step) {
    if (expr.type() != ValueType.SCALAR && expr.type() != ValueType.VECTOR) {
      throw new PromQlException(
          "invalid expression type \"%s\" for range query, must be Scalar or instant Vector"
              .formatted(expr.type() == ValueType.MATRIX ? "range vector" : "string"));
    }
    if (end < start) {
      throw new PromQlEvaluationException("the range ends before it starts");
    }
    long count = Math.subtractExact(end, start) / step.toMillis() + 1;
    if (count > StepTimes.OF_RANGE_MAX) {
      throw new PromQlEvaluationException(tooManySteps(count));
    }
    return new StepTimes(start, step.toMillis(), (int) count);
  }

  /**
   * Returns the error for a range query with too many steps: Prometheus' sentence with their
   * number.
   */
  public static String tooManySteps(long steps) {
    return "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX); the query has %,d steps"
        .formatted(steps);
  }

  /** Executes a plan for all steps. */
  PromResult.Matrix matrix(OptimisedPlan plan, StepTimes steps) {
    RowMemory held = held();
    Evaluator evaluator = evaluator(plan, held, null);
    List<PromResult.Line> lines = new ArrayList<>();
    switch (plan.root()) {
      case StepPlan.Scalar number ->
          lines.add(line(Labels.NONE, Column.of(evaluator.number(number)), steps));
      case StepPlan.Vector vector ->
          evaluator.vector(
              vector,
              (labels, column) -> {
                held.samples(labels, column.count());
                lines.add(line(labels, column, steps));
              });
      case StepPlan.Range range -> throw new IllegalArgumentException(range + " has no rows");
    }
    lines.sort(held.asking(Comparator.comparing(PromResult.Line::labels)));
    return new PromResult.Matrix(lines);
  }

  private static PromResult.Line line(Labels labels, Column column, StepTimes steps) {
    int size = column.count();
    long[] times = new long[size];
    double[] values = new double[size];
    int at = 0;
    for (int i = column.next(0); i < column.steps(); i = column.next(i + 1)) {
      times[at] = steps.time(i);
      values[at++] = column.get(i);
    }
    return new PromResult.Line(labels, times, values);
  }
}
