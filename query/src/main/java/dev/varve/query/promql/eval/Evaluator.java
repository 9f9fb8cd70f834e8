package dev.varve.query.promql.eval;

import dev.varve.query.Analysis;
import dev.varve.query.promql.plan.Arithmetic;
import dev.varve.query.promql.plan.OptimisedPlan;
import dev.varve.query.promql.plan.OptimisedPlan.SharedScan;
import dev.varve.query.promql.plan.Scan;
import dev.varve.query.promql.plan.StepPlan;
import dev.varve.query.promql.plan.StepTimes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Executes a plan. Rows are pushed from scans upwards through the operators. Kept rows are computed
 * when they are first needed. For one query and one thread.
 */
final class Evaluator {
  private final SampleSource source;
  private final Stages stages;
  private final RowMemory held;
  private final Map<Integer, Integer> uses;
  private final Map<Integer, SharedScan> shared = new HashMap<>();
  private final Map<Integer, KeptRows> kept = new HashMap<>();
  private final @Nullable Analysis<StepPlan, Scan> analysis;

  /**
   * Creates an evaluator of one plan.
   *
   * @param analysis receives figures; null if the query is not analysed
   */
  Evaluator(
      SampleSource source,
      OptimisedPlan plan,
      Notes notes,
      RowMemory held,
      @Nullable Analysis<StepPlan, Scan> analysis) {
    this.source = source;
    this.stages = new Stages(this, notes, held);
    this.held = held;
    this.uses = plan.uses();
    this.analysis = analysis;
    for (SharedScan scan : plan.shared()) {
      scan.users().forEach(user -> shared.put(user.number(), scan));
    }
  }

  /** Returns the number at every step. */
  double[] number(StepPlan.Scalar plan) {
    StepPlan before = enter(plan);
    double[] values = valuesOf(plan);
    leave(before);
    return values;
  }

  private @Nullable StepPlan enter(StepPlan plan) {
    return analysis == null ? null : analysis.enter(plan);
  }

  private void leave(@Nullable StepPlan before) {
    if (analysis != null) {
      analysis.enter(before);
    }
  }

  /** Counts the rows of an operator if the query is analysed. */
  private RowSink output(StepPlan plan, @Nullable StepPlan to, RowSink into) {
    Analysis<StepPlan, Scan> figures = analysis;
    if (figures == null) {
      return into;
    }
    figures.returned(plan, 0, 0);
    return (labels, column) -> {
      figures.returned(plan, 1, column.count());
      StepPlan before = figures.enter(to);
      into.row(labels, column);
      figures.enter(before);
    };
  }

  private double[] valuesOf(StepPlan.Scalar plan) {
    return switch (plan) {
      case StepPlan.Constant constant -> filled(constant.steps(), constant.value());
      case StepPlan.EvaluationTime time -> times(time.steps());
      case StepPlan.Calculated calculated -> calculated(calculated);
      case StepPlan.Negative negative -> {
        double[] values = number(negative.input());
        yield each(values, i -> -values[i]);
      }
      case StepPlan.OnlyElement only -> onlyElement(only.input());
    };
  }

  private double[] array(StepTimes steps) {
    if (steps.count() > StepTimes.OF_RANGE_MAX) {
      held.row(steps.count());
    }
    return new double[steps.count()];
  }

  double[] filled(StepTimes steps, double value) {
    double[] values = array(steps);
    Arrays.fill(values, value);
    return values;
  }

  /** Returns the times of the steps in seconds. */
  private double[] times(StepTimes steps) {
    return each(array(steps), i -> steps.time(i) / 1000.0);
  }

  private double[] calculated(StepPlan.Calculated plan) {
    double[] left = number(plan.left());
    double[] right = number(plan.right());
    return each(left, i -> Arithmetic.ofNumbers(plan.operator(), left[i], right[i]));
  }

  /** Computes the value of each step, in place. */
  private double[] each(double[] values, IntToDoubleFunction value) {
    for (int i = 0; i < values.length; ) {
      for (int end = held.stretch(i, values.length); i < end; i++) {
        values[i] = value.applyAsDouble(i);
      }
    }
    return values;
  }

  private double[] onlyElement(StepPlan.Vector vector) {
    double[] values = filled(vector.steps(), Double.NaN);
    Column seen = new Column(values.length);
    vector(
        vector,
        (labels, column) -> {
          held.wanted();
          for (int i = column.next(0); i < values.length; i = column.next(i + 1)) {
            values[i] = seen.has(i) ? Double.NaN : column.get(i);
            seen.set(i, 1);
          }
        });
    return values;
  }

  /** Emits the rows of a vector, without calling {@link RowSink#end}. */
  void vector(StepPlan.Vector plan, RowSink into) {
    StepPlan before = enter(plan);
    rows(plan, output(plan, before, into));
    leave(before);
  }

  private void rows(StepPlan.Vector plan, RowSink into) {
    switch (plan) {
      case StepPlan.Nothing nothing -> {}
      case StepPlan.Newest newest -> read(newest.scan(), List.of(newest), List.of(into));
      case StepPlan.Window window -> window(window, into);
      case StepPlan.Kept keptOne -> kept(keptOne, into);
      case StepPlan.Join join -> join(join, into);
      case StepPlan.OfNumber of -> into.row(Labels.NONE, Column.of(number(of.number())));
      case StepPlan.OfTime of -> {
        double[] times = times(of.steps());
        DoubleUnaryOperator function = ValueFunctions.of(of.function());
        into.row(Labels.NONE, Column.of(each(times, i -> function.applyAsDouble(times[i]))));
      }
      case StepPlan.RowOperator operator -> {
        RowSink stage = stages.stage(operator, into);
        vector(operator.input(), stage);
        stage.end();
      }
    }
  }

  private void join(StepPlan.Join join, RowSink into) {
    Matching pairs = new Matching(join, held);
    if (join.operator().isSet()) {
      SetOperation sets =
          new SetOperation(join.operator(), pairs, join.steps().count(), held, into);
      boolean leftFirst = sets.isLeftFirst();
      vector(leftFirst ? join.left() : join.right(), sets::first);
      vector(leftFirst ? join.right() : join.left(), sets::second);
      sets.end();
      return;
    }
    boolean leftOne = pairs.isLeftOne();
    vector(leftOne ? join.left() : join.right(), pairs::one);
    vector(leftOne ? join.right() : join.left(), pairs::many);
    pairs.end(into);
  }

  private void window(StepPlan.Window window, RowSink into) {
    switch (window.input()) {
      case StepPlan.Stored stored ->
          read(stored.scan(), List.of(window), List.of(stages.named(window, into)));
      case StepPlan.Stepped stepped -> {
        double[] parameter = parameter(window);
        Leaf leaf = Leaf.of(window, parameter, held);
        RowSink named = stages.named(window, into);
        stepped(
            stepped,
            (labels, samples) -> {
              Column column = leaf.column(samples);
              if (!column.isEmpty()) {
                stages.lookAtQuantiles(window, parameter, column);
                named.row(labels, column);
              }
            });
      }
    }
  }

  private double[] parameter(StepPlan.SeriesOperator plan) {
    if (!(plan instanceof StepPlan.Window window)) {
      return new double[0];
    }
    StepPlan.Scalar number = window.parameter();
    return number == null ? new double[window.steps().count()] : number(number);
  }

  /**
   * Reads a scan and computes rows from its samples, for several operators at once.
   *
   * @param plans the operators directly above the scan
   * @param sinks where their rows go
   */
  private void read(Scan scan, List<StepPlan.SeriesOperator> plans, List<RowSink> sinks) {
    List<double[]> parameters = plans.stream().map(this::parameter).toList();
    long bytes = 0;
    for (StepPlan.SeriesOperator plan : plans) {
      bytes += Column.bytes(plan.steps().count());
    }
    source.read(
        scan,
        () -> new LeafWork(plans, parameters, held),
        bytes,
        worked -> {
          for (int i = 0; i < worked.columns().length; i++) {
            Column column = worked.columns()[i];
            if (column != null) {
              stages.lookAtQuantiles(plans.get(i), parameters.get(i), column);
              sinks.get(i).row(worked.labels(), column);
            }
          }
        });
  }

  private void kept(StepPlan.Kept plan, RowSink into) {
    KeptRows rows = kept.get(plan.number());
    if (rows != null) {
      rows.replay(into);
      return;
    }
    SharedScan scan = shared.get(plan.number());
    if (scan != null) {
      together(scan, plan, into);
    } else {
      vector(plan.input(), holding(plan, true, into));
    }
  }

  /**
   * Returns a sink that keeps rows for later uses.
   *
   * @param now whether its rows are also passed on immediately, which counts as one use
   */
  private RowSink holding(StepPlan.Kept plan, boolean now, @Nullable RowSink into) {
    int times = uses.getOrDefault(plan.number(), 1);
    if (now && times == 1 && into != null) {
      return into;
    }
    KeptRows rows = new KeptRows(now ? times - 1 : times, held);
    kept.put(plan.number(), rows);
    return now && into != null ? rows.before(into) : rows;
  }

  /**
   * Evaluates everything that one scan feeds. The rows of {@code asked} are passed on immediately.
   */
  private void together(SharedScan scan, StepPlan.Kept asked, RowSink into) {
    List<StepPlan.SeriesOperator> plans = new ArrayList<>();
    List<RowSink> sinks = new ArrayList<>();
    List<RowSink> inOrder = new ArrayList<>();
    for (StepPlan.Kept user : scan.users()) {
      boolean now = user.number() == asked.number();
      StepPlan.Vector top = user.input();
      StepPlan to = user;
      RowSink sink = output(top, to, holding(user, now, now ? into : null));
      List<RowSink> chain = new ArrayList<>();
      while (top instanceof StepPlan.RowOperator operator) {
        sink = stages.stage(operator, sink);
        chain.addFirst(sink);
        to = operator;
        top = operator.input();
        sink = output(top, to, sink);
      }
      plans.add((StepPlan.SeriesOperator) top);
      sinks.add(top instanceof StepPlan.Window window ? stages.named(window, sink) : sink);
      inOrder.addAll(chain);
    }
    read(scan.scan(), plans, sinks);
    inOrder.forEach(RowSink::end);
  }

  /** Emits the samples of a range vector at its single step. */
  void samples(StepPlan.Range range, SampleSource.Sink into) {
    StepPlan before = enter(range);
    switch (range) {
      case StepPlan.Stored stored ->
          source.read(
              stored.scan(),
              (labels, samples) -> {
                samples.dropStale();
                if (samples.size() > 0) {
                  into.series(labels, samples);
                }
              });
      case StepPlan.Stepped stepped -> stepped(stepped, into);
    }
    leave(before);
  }

  /** Emits the result of a subquery as samples, series by series. */
  private void stepped(StepPlan.Stepped plan, SampleSource.Sink into) {
    StepTimes steps = plan.input().steps();
    held.steps(steps.count());
    SampleVector samples = new SampleVector();
    RowSink rows =
        (labels, column) -> {
          held.wanted();
          samples.clear();
          for (int i = column.next(0); i < column.steps(); i = column.next(i + 1)) {
            samples.add(steps.time(i), column.get(i));
          }
          into.series(labels, samples);
        };
    switch (plan.input()) {
      case StepPlan.Scalar number -> rows.row(Labels.NONE, Column.of(number(number)));
      case StepPlan.Vector vector -> vector(vector, rows);
      case StepPlan.Range range -> throw new IllegalArgumentException(range + " has no rows");
    }
    held.releaseSteps(steps.count());
  }
}
