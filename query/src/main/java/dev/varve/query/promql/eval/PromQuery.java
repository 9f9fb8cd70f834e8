package dev.varve.query.promql.eval;

import dev.varve.query.Memory;
import dev.varve.query.Runs;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.ValueType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** One run of a PromQL query. Used once, by one thread; {@link #cancel} may come from any. */
public final class PromQuery {
  /** So many steps a range query may have, as in Prometheus. */
  public static final int STEPS_MAX = 11_000;

  private final Expr expr;
  private final Notes notes;
  private final PromLimits limits;
  private final DatasetSamples samples;

  /**
   * A query of a dataset.
   *
   * @throws dev.varve.query.promql.PromQlException if the text is none
   */
  public PromQuery(String query, Runs runs, PromLimits limits) {
    this.expr = PromQl.parse(query);
    this.notes = new Notes(query);
    this.limits = limits;
    this.samples = new DatasetSamples(runs, limits);
  }

  /** What is told beside the result; complete once the query has ended. */
  public Notes notes() {
    return notes;
  }

  /** How many samples were read so far. */
  public long samplesRead() {
    return samples.read();
  }

  /** Makes the query fail with ReadCancelledException within 100 ms. */
  public void cancel() {
    samples.cancel();
  }

  /**
   * Works the query out for one time.
   *
   * @param time in ms since 1970
   * @throws PromQlEvaluationException if the series do not allow it
   * @throws dev.varve.engine.QueryRefusedException if it needs more than it may
   */
  public PromResult instant(long time) {
    Steps steps = Steps.at(time);
    Held held = new Held(new Memory(limits.memory()), samples::ensureWanted);
    Selection selection = selection(time, time, held);
    Evaluator evaluator = new Evaluator(selection, notes, held);
    return switch (expr.type()) {
      case SCALAR -> new PromResult.Scalar(time, evaluator.scalar(expr, steps)[0]);
      case STRING -> new PromResult.Text(time, Evaluator.text(expr));
      case VECTOR -> {
        List<PromResult.Element> elements = new ArrayList<>();
        evaluator.vector(
            expr,
            steps,
            (labels, column) -> {
              held.row(1);
              elements.add(new PromResult.Element(labels, column.get(0)));
            });
        yield new PromResult.Vector(time, elements);
      }
      case MATRIX -> new PromResult.Matrix(lines(evaluator, selection, steps, held));
    };
  }

  private List<PromResult.Line> lines(
      Evaluator evaluator, Selection selection, Steps steps, Held held) {
    List<PromResult.Line> lines = new ArrayList<>();
    Expr bare = Evaluator.bare(expr);
    SampleSource.Sink sink =
        (labels, vector) -> {
          held.samples(vector.size());
          lines.add(line(labels, vector));
        };
    if (bare instanceof Expr.Subquery subquery) {
      evaluator.steps(
          subquery, steps, (inner, labels, column) -> sink.series(labels, inner.samples(column)));
    } else if (bare instanceof Expr.MatrixSelector matrix) {
      selection.samples(matrix, steps, sink);
    }
    lines.sort(Comparator.comparing(PromResult.Line::labels));
    return lines;
  }

  private static PromResult.Line line(Labels labels, SampleVector vector) {
    int size = vector.size();
    return new PromResult.Line(
        labels, Arrays.copyOf(vector.times(), size), Arrays.copyOf(vector.values(), size));
  }

  /**
   * Works the query out for a range of steps.
   *
   * @param start of the first step, in ms since 1970
   * @param end the last one is not behind it
   * @param step at least 1 ms
   * @throws PromQlEvaluationException if the series do not allow it, or it is no query for a range
   * @throws dev.varve.engine.QueryRefusedException if it needs more than it may
   */
  public PromResult.Matrix range(long start, long end, Duration step) {
    if (expr.type() != ValueType.SCALAR && expr.type() != ValueType.VECTOR) {
      throw new PromQlEvaluationException(
          "invalid expression type \"%s\" for range query, must be Scalar or instant Vector"
              .formatted(expr.type() == ValueType.MATRIX ? "range vector" : "string"));
    }
    long count = Math.subtractExact(end, start) / step.toMillis() + 1;
    if (count > STEPS_MAX || count < 1) {
      throw new PromQlEvaluationException(
          "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)");
    }
    Steps steps = new Steps(start, step.toMillis(), (int) count);
    Held held = new Held(new Memory(limits.memory()), samples::ensureWanted);
    Evaluator evaluator = new Evaluator(selection(start, end, held), notes, held);
    List<PromResult.Line> lines = new ArrayList<>();
    if (expr.type() == ValueType.SCALAR) {
      lines.add(line(Labels.NONE, Column.of(evaluator.scalar(expr, steps)), steps));
    } else {
      evaluator.vector(
          expr,
          steps,
          (labels, column) -> {
            held.samples(column.count());
            lines.add(line(labels, column, steps));
          });
    }
    lines.sort(Comparator.comparing(PromResult.Line::labels));
    return new PromResult.Matrix(lines);
  }

  private static PromResult.Line line(Labels labels, Column column, Steps steps) {
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

  private Selection selection(long start, long end, Held held) {
    return new Selection(
        samples, held, start, end, limits.lookback().toMillis(), limits.subqueryStep().toMillis());
  }
}
